import { type Key, typed } from '../screen/key.ts';
import { type KeyRule, keyName, row, ruleOf } from '../screen/key-table.ts';
import { stepOf } from '../screen/list-keys.ts';
import { moveCursor } from '../screen/scroll.ts';
import { type ScreenStep, stepTo } from '../screen/state-screen.ts';
import { MENU_ITEMS, type MenuDeed, menuChoice } from './menu-choice.ts';

/** A step as the screen shows it. */
export interface MenuStep {
  readonly text: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** What came of it, or how far it is. */
  readonly note: string;
}

/** What the screen shows at the moment. */
export type MenuView =
  | { readonly at: 'menu'; readonly cursor: number }
  | {
      readonly at: 'work';
      readonly title: string;
      readonly steps: readonly MenuStep[];
      /** What was undone, in lines. */
      readonly undone: readonly string[];
      /** Absent while it runs. */
      readonly end: MenuEnd | undefined;
    };

/** How a deed ended. */
export interface MenuEnd {
  /** The exit code. */
  readonly code: number;
  /** What is printed at the end, also when the screen has gone. */
  readonly lines: readonly string[];
}

/** What the menu has done. */
export type MenuEffect =
  | { readonly type: 'begin'; readonly deed: MenuDeed }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end'; readonly end: MenuEnd };

type Rule = KeyRule<(name: string, key: Key) => ScreenStep<MenuView, MenuEffect>>;

const NOTHING_DONE: MenuEnd = { code: 0, lines: ['Nothing was changed.'] };

/** The keys that work now. */
export function menuKeys(view: MenuView): readonly Rule[] {
  const ctrlC: Rule = row('Ctrl-C', 'stop and undo', '', () =>
    leaveMenu(view, { code: 130, lines: [] }),
  );
  if (view.at === 'menu') return [...choiceKeys(view), { ...ctrlC, short: '', does: 'quit' }];
  const { end } = view;
  if (end === undefined) return [ctrlC];
  const close = () => stepTo(view, { type: 'end', end } as const);
  return [
    row('Enter', 'close', 'close; also Esc and q', close, { also: 'Esc q' }),
    { ...ctrlC, short: '', does: 'close' },
  ];
}

/** What a key makes of the screen. */
export function takeMenuKey(view: MenuView, key: Key): ScreenStep<MenuView, MenuEffect> {
  return ruleOf(menuKeys(view), key)?.run(keyName(key), key) ?? stepTo(view);
}

/** Ends the menu immediately, and what runs when all is undone. */
export function leaveMenu(view: MenuView, end: MenuEnd): ScreenStep<MenuView, MenuEffect> {
  if (view.at === 'menu') return stepTo(view, { type: 'end', end });
  if (view.end !== undefined) return stepTo(view, { type: 'end', end: view.end });
  return stepTo(view, { type: 'interrupt' });
}

function choiceKeys(view: MenuView & { at: 'menu' }): readonly Rule[] {
  const begin = (deed: MenuDeed) => stepTo(view, { type: 'begin', deed } as const);
  const choose: Rule['run'] = (_, key) => {
    try {
      return begin(menuChoice(typed(key) ?? ''));
    } catch (thrown) {
      return leaveMenu(view, { code: 1, lines: [(thrown as Error).message] });
    }
  };
  const move = (name: string) =>
    stepTo({ ...view, cursor: moveCursor(view.cursor, stepOf(name, 1), MENU_ITEMS.length) });
  return [
    row('1 2', 'choose', '', choose),
    row('↑↓', 'move', 'move; also j and k', move, { also: 'j k' }),
    row('Enter', 'run', '', () => begin(MENU_ITEMS[view.cursor]?.deed ?? 'install')),
    row('q', 'quit', 'quit; also Esc', () => leaveMenu(view, NOTHING_DONE), { also: 'Esc' }),
    row('type', '', '', choose),
  ];
}
