import { startChanges } from '../screen/changes.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { ScreenModel } from '../screen/screen-model.ts';
import { MENU_ITEMS, menuChoice } from './menu-choice.ts';

/** What the menu can do. */
export type MenuDeed = 'install' | 'uninstall';

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
      /** Absent while it goes on. */
      readonly end: MenuEnd | undefined;
    };

/** How a deed ended. */
export interface MenuEnd {
  /** The exit code. */
  readonly code: number;
  /** What is said at the end, also when the screen has gone. */
  readonly lines: readonly string[];
}

/** Something new about a deed that goes on. */
export type MenuNews =
  | { readonly kind: 'plan'; readonly title: string; readonly steps: readonly string[] }
  | { readonly kind: 'step'; readonly index: number; readonly change: Partial<MenuStep> }
  | { readonly kind: 'undone'; readonly line: string };

/** Who does what is chosen. */
export interface MenuWork {
  /** Does it, and tells what goes on; never rejects. */
  begin(deed: MenuDeed, tell: (news: MenuNews) => void): Promise<MenuEnd>;
  /** Asks what goes on to end soon, and to undo what it did. */
  interrupt(): void;
}

/** The menu of the installer. Its result is how it ended. */
export interface MenuModel extends ScreenModel<MenuEnd> {
  view(): MenuView;
  /** The process is asked to end: at once from the menu, else when all is undone. */
  leave(end: MenuEnd): void;
}

/** A menu that has just opened. */
export function createMenu(work: MenuWork): MenuModel {
  const changes = startChanges();
  const result = Promise.withResolvers<MenuEnd>();
  let view: MenuView = { at: 'menu', cursor: 0 };
  let isLeaving = false;

  const show = (next: MenuView) => {
    view = next;
    changes.tell();
  };
  const onNews = (news: MenuNews) => {
    if (view.at === 'work') show(withNews(view, news));
  };
  const begin = (deed: MenuDeed) => {
    const title = deed === 'install' ? 'Install webhook' : 'Uninstall webhook';
    show({ at: 'work', title, steps: [], undone: [], end: undefined });
    void work.begin(deed, onNews).then((end) => {
      if (isLeaving || view.at !== 'work') result.resolve(end);
      else show({ ...view, end });
    });
  };
  const leave = (end: MenuEnd) => {
    isLeaving = true;
    if (view.at === 'menu') result.resolve(end);
    else if (view.end !== undefined) result.resolve(view.end);
    else work.interrupt();
  };
  const onMenu = (cursor: number, key: Key) => {
    const letter = typed(key);
    if (key.name === 'escape' || letter === 'q') return leave(NOTHING_DONE);
    if (key.name === 'up' || letter === 'k') return show({ at: 'menu', cursor: 0 });
    if (key.name === 'down' || letter === 'j') return show({ at: 'menu', cursor: 1 });
    if (key.name === 'enter') return begin(MENU_ITEMS[cursor]?.deed ?? 'install');
    if (letter === undefined) return;
    try {
      begin(menuChoice(letter));
    } catch (thrown) {
      result.resolve({ code: 1, lines: [(thrown as Error).message] });
    }
  };
  return {
    ...changes,
    result: result.promise,
    view: () => view,
    resize: () => changes.tell(),
    leave,
    press(key) {
      if (isCtrl(key, 'c')) return leave({ code: 130, lines: [] });
      if (view.at === 'menu') return onMenu(view.cursor, key);
      const closes = key.name === 'enter' || key.name === 'escape' || typed(key) === 'q';
      if (closes && view.end !== undefined) result.resolve(view.end);
    },
  };
}

const NOTHING_DONE: MenuEnd = { code: 0, lines: ['Nothing was changed.'] };

function withNews(view: MenuView & { at: 'work' }, news: MenuNews): MenuView {
  switch (news.kind) {
    case 'plan': {
      const steps = news.steps.map((text): MenuStep => ({ text, state: 'waiting', note: '' }));
      return { ...view, title: news.title, steps };
    }
    case 'undone':
      return { ...view, undone: [...view.undone, news.line] };
    case 'step': {
      const step = view.steps[news.index];
      if (step === undefined) return view;
      return { ...view, steps: view.steps.with(news.index, { ...step, ...news.change }) };
    }
  }
}
