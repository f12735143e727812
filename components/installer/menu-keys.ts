import { SyncerError } from '../../src/core/errors.ts';
import { moveCursor } from '../../src/terminal/cursor-list.ts';
import { type Key, typed } from '../../src/terminal/key.ts';
import { ACTIONS, HELP, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { stepOf } from '../../src/terminal/list-keys.ts';
import { type ScreenStep, stepTo } from '../../src/terminal/state-screen.ts';

export type MenuDeed = 'install' | 'uninstall' | 'upgrade';

/** The choices; those of the menu as text have numbers. */
export const MENU_ITEMS = [
  {
    key: '1',
    deed: 'install',
    label: 'Install',
    note: 'download the server, write its files, start the service',
    about:
      'Downloads the server, verifies it, writes its files and starts its service. The steps are shown first, and a failed one undoes those before it.',
  },
  {
    key: '2',
    deed: 'uninstall',
    label: 'Uninstall',
    note: 'stop the service, delete its files',
    about:
      'Stops the service and deletes its files. The steps are shown first; a hook file that you changed is kept.',
  },
  {
    key: 'u',
    deed: 'upgrade',
    label: 'Upgrade',
    note: 'replace the program by another release',
    about:
      'Downloads the server and replaces the installed program. Hooks and units stay. The steps are shown first, and a failed one undoes those before it.',
  },
] as const;

export const MENU_TEXT = `webhook
  1) install
  2) uninstall
Your choice: `;

/** What a line typed at the menu means. Throws `usage` for anything but 1 and 2. */
export function menuChoice(line: string): MenuDeed {
  const item = MENU_ITEMS.find(({ key }) => key === line.trim() && key !== 'u');
  if (item !== undefined) return item.deed;
  throw new SyncerError('usage', 'input error: enter 1 to install or 2 to uninstall');
}

/** A step as the screen shows it. */
export interface MenuStep {
  readonly text: string;
  readonly state: 'waiting' | 'running' | 'done' | 'warned' | 'failed';
  /** What came of it, or how far it is. */
  readonly note: string;
}

/** What a deed would do, in lines. */
export interface MenuPlan {
  readonly title: string;
  readonly steps: readonly string[];
  /** What is kept, or deleted besides. */
  readonly notes: readonly string[];
}

/** What the screen shows at the moment. */
export type MenuView =
  /** The choices, and how the last one ended: the exit code of the program is its. */
  | { readonly at: 'menu'; readonly cursor: number; readonly last: MenuEnd | undefined }
  /** What a deed would do is looked into. */
  | { readonly at: 'look'; readonly deed: MenuDeed; readonly last: MenuEnd | undefined }
  | {
      readonly at: 'ask';
      readonly deed: MenuDeed;
      readonly last: MenuEnd | undefined;
      readonly plan: MenuPlan;
      /** The first line shown. */
      readonly first: number;
    }
  | {
      readonly at: 'work';
      readonly deed: MenuDeed;
      readonly title: string;
      readonly steps: readonly MenuStep[];
      /** What was undone, in lines. */
      readonly undone: readonly string[];
      /** Absent while it runs. */
      readonly end: MenuEnd | undefined;
    };

/** The menu with the cursor at a deed. */
function menuAt(deed: MenuDeed, last: MenuEnd | undefined): MenuView {
  return { at: 'menu', cursor: MENU_ITEMS.findIndex((item) => item.deed === deed), last };
}

export interface MenuEnd {
  /** The exit code. */
  readonly code: number;
  /** What is printed at the end, also when the screen has gone. */
  readonly lines: readonly string[];
}

export type MenuEffect =
  | { readonly type: 'look'; readonly deed: MenuDeed }
  | { readonly type: 'begin'; readonly deed: MenuDeed }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end'; readonly end: MenuEnd };

type Rule = KeyRule<(name: string, key: Key) => ScreenStep<MenuView, MenuEffect>>;

/** The end of a menu that was left before anything was begun. */
export const nothingDone = (code: number): MenuEnd => ({ code, lines: ['Nothing was changed.'] });

/** The keys that work now. */
export function menuKeys(view: MenuView): readonly Rule[] {
  const ctrlC: Rule = row('Ctrl-C', 'stop and undo', '', () => leaveMenu(view, nothingDone(130)));
  if (view.at === 'menu') return [...choiceKeys(view), { ...ctrlC, short: '', does: 'quit' }];
  if (view.at === 'ask') return [...questionKeys(view), { ...ctrlC, short: '', does: 'quit' }];
  if (view.at === 'look') return [{ ...ctrlC, does: 'quit' }];
  const { end } = view;
  if (end === undefined) return [ctrlC];
  const close = () => stepTo(menuAt(view.deed, end));
  const quit = () => stepTo(view, { type: 'end', end } as const);
  return [
    row('Enter', 'close', 'back to the menu; also Esc', close, { also: 'Esc' }),
    row('q', 'quit', '', quit),
    { ...ctrlC, short: '', does: 'quit' },
  ];
}

/** Ends the menu immediately, and what runs when all is undone. */
export function leaveMenu(view: MenuView, end: MenuEnd): ScreenStep<MenuView, MenuEffect> {
  if (view.at !== 'work') {
    return stepTo(view, { type: 'end', end: (end.code === 0 ? view.last : undefined) ?? end });
  }
  if (view.end !== undefined) return stepTo(view, { type: 'end', end: view.end });
  return stepTo(view, { type: 'interrupt' });
}

/** Enter is no answer: it may still be held down from the menu. */
function questionKeys(view: MenuView & { at: 'ask' }): readonly Rule[] {
  const { deed, plan } = view;
  const back = () => stepTo(menuAt(deed, view.last));
  const scroll = (name: string) => {
    const last = Math.max(0, planLines(plan).length - 1);
    return stepTo({ ...view, first: moveCursor(view.first, stepOf(name, 1), last + 1) });
  };
  return [
    row('y', deed, '', () => stepTo(view, { type: 'begin', deed } as const), { confirms: true }),
    row('n', 'cancel', 'go back to the menu; also Esc and q', back, { also: 'Esc q' }),
    row('↑↓', 'scroll', 'scroll; also j and k', scroll, { also: 'j k' }),
  ];
}

/** What a deed would do, as lines without a width. */
export function planLines({ steps, notes }: MenuPlan): readonly string[] {
  return [...notes, ...steps.map((step, at) => `${at + 1}. ${step}`)];
}

function choiceKeys(view: MenuView & { at: 'menu' }): readonly Rule[] {
  const look = (deed: MenuDeed) =>
    stepTo({ at: 'look', deed, last: view.last } as const, { type: 'look', deed } as const);
  const choose: Rule['run'] = (_, key) => {
    try {
      return look(menuChoice(typed(key) ?? ''));
    } catch (thrown) {
      return leaveMenu(view, { code: 1, lines: [(thrown as Error).message] });
    }
  };
  const move = (name: string) =>
    stepTo({ ...view, cursor: moveCursor(view.cursor, stepOf(name, 1), MENU_ITEMS.length) });
  return [
    row('1 2', 'choose', '', choose),
    row('u', 'upgrade', '', () => look('upgrade')),
    row('↑↓', 'move', 'move; also j and k', move, { also: 'j k' }),
    row('Enter', 'select', '', () => look(MENU_ITEMS[view.cursor]?.deed ?? 'install')),
    row('q', 'quit', 'quit; also Esc', () => leaveMenu(view, nothingDone(0)), { also: 'Esc' }),
    HELP,
    ACTIONS,
    row('type', '', '', choose),
  ];
}
