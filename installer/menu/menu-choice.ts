import { SyncerError } from '../../src/core/errors.ts';

/** The menu as text. */
export const MENU_TEXT = `webhook
  1) install
  2) uninstall
Your choice: `;

/** What a line typed at the menu means. Throws `usage` for anything but 1 and 2. */
export function menuChoice(line: string): 'install' | 'uninstall' {
  const choice = line.trim();
  if (choice === '1') return 'install';
  if (choice === '2') return 'uninstall';
  throw new SyncerError('usage', 'input error: enter 1 to install or 2 to uninstall');
}
