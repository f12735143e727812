import { SyncerError } from '../core/errors.ts';

/** What the menu can do. */
export type MenuDeed = 'install' | 'uninstall';

/** The choices, in the order of their numbers. */
export const MENU_ITEMS = [
  {
    key: '1',
    deed: 'install',
    label: 'Install',
    note: 'download the server, write its files, start the service',
  },
  { key: '2', deed: 'uninstall', label: 'Uninstall', note: 'stop the service, delete its files' },
] as const;

/** The menu as text. */
export const MENU_TEXT = `webhook
  1) install
  2) uninstall
Your choice: `;

/** What a line typed at the menu means. Throws `usage` for anything but 1 and 2. */
export function menuChoice(line: string): MenuDeed {
  const item = MENU_ITEMS.find(({ key }) => key === line.trim());
  if (item !== undefined) return item.deed;
  throw new SyncerError('usage', 'input error: enter 1 to install or 2 to uninstall');
}
