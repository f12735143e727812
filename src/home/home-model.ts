import { startChanges } from '../screen/changes.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { ScreenModel } from '../screen/screen-model.ts';
import { moveCursor } from '../screen/scroll.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';
import { actionsFor, commandOf, type HomeAction, withFlags } from './home-actions.ts';
import type { HomeCommand, HomeContents, HomeRemote } from './home-entry.ts';
import type { PastRun } from './past-run.ts';

/** What the home screen shows at the moment. */
export type HomeView =
  | { readonly at: 'remotes'; readonly cursor: number }
  | { readonly at: 'actions'; readonly remote: HomeRemote; readonly cursor: number }
  | AskView
  | { readonly at: 'runs'; readonly cursor: number }
  | { readonly at: 'run'; readonly run: PastRun; readonly cursor: number }
  | { readonly at: 'keys'; readonly back: HomeView; readonly first: number };

/** The texts of an action are asked for. */
export interface AskView {
  readonly at: 'ask';
  readonly remote: HomeRemote;
  readonly action: HomeAction;
  readonly fields: readonly EditedText[];
  readonly field: number;
  /** What is wrong with the answers. */
  readonly complaint?: string;
}

/** The home screen. Its result is what to run next; `undefined`: the user leaves. */
export interface HomeModel extends ScreenModel<HomeCommand | undefined> {
  readonly contents: HomeContents;
  view(): HomeView;
}

/** How many lines the menu of remotes has: the remotes, a new one, the configuration, the last runs. */
function remoteMenuLength({ remotes }: HomeContents): number {
  return remotes.length + MENU_TAIL.length;
}

/** What stands below the remotes. */
export const MENU_TAIL = [
  { key: 'n', label: 'New remote', note: 'local disk, S3, cloud drive' },
  { key: 'g', label: 'Configuration', note: 'edit, rename, copy, delete, import from rclone' },
  { key: 'h', label: 'History', note: 'recent runs and their results' },
] as const;

const CONFIG: HomeCommand = { words: ['config'], hasScreen: true };

/** A home screen that has just opened. */
export function createHome(contents: HomeContents): HomeModel {
  const changes = startChanges();
  const result = Promise.withResolvers<HomeCommand | undefined>();
  let view: HomeView = { at: 'remotes', cursor: 0 };

  const leave = (command: HomeCommand | undefined) => result.resolve(command);
  const step = (key: Key): HomeView | HomeCommand | 'leave' => {
    switch (view.at) {
      case 'remotes':
        return onRemotes(contents, view.cursor, key);
      case 'actions':
        return onActions(contents, view.remote, view.cursor, key);
      case 'ask':
        return onAsk(contents, view, key);
      case 'runs':
        return onRuns(contents, view.cursor, key);
      case 'run':
        return onRun(view.run, view.cursor, key);
      case 'keys':
        return onKeys(view.back, view.first, key);
    }
  };
  return {
    contents,
    ...changes,
    view: () => view,
    result: result.promise,
    resize: () => changes.tell(),
    takesText: () => view.at === 'ask',
    press(key) {
      if (isCtrl(key, 'c')) return leave(undefined);
      const help = view.at !== 'ask' && view.at !== 'keys' && typed(key) === '?';
      const next = help ? ({ at: 'keys', back: view, first: 0 } as const) : step(key);
      if (next === 'leave') return leave(undefined);
      if ('words' in next) return leave(next);
      view = next;
      changes.tell();
    },
  };
}

/** The cursor after a key that moves it; `undefined` for all others. */
function moved(key: Key, cursor: number, total: number): number | undefined {
  const letter = typed(key);
  if (key.name === 'down' || letter === 'j') return moveCursor(cursor, 1, total);
  if (key.name === 'up' || letter === 'k') return moveCursor(cursor, -1, total);
  if (key.name === 'page-down') return moveCursor(cursor, 10, total);
  if (key.name === 'page-up') return moveCursor(cursor, -10, total);
  if (key.name === 'home') return 0;
  if (key.name === 'end') return Math.max(0, total - 1);
  return undefined;
}

const takes = (key: Key) => key.name === 'enter' || key.name === 'right' || typed(key) === 'l';
const goesBack = (key: Key) => key.name === 'escape' || key.name === 'left' || typed(key) === 'q';

function onRemotes(
  contents: HomeContents,
  cursor: number,
  key: Key,
): HomeView | HomeCommand | 'leave' {
  const { remotes } = contents;
  const total = remoteMenuLength(contents);
  const to = moved(key, cursor, total);
  if (to !== undefined) return { at: 'remotes', cursor: to };
  const letter = typed(key) ?? '';
  if (letter === 'q' || key.name === 'escape') return 'leave';
  const digit = /^[1-9]$/.test(letter) ? Number(letter) - 1 : undefined;
  if (digit !== undefined && digit < remotes.length) return { at: 'remotes', cursor: digit };
  const tail = MENU_TAIL.findIndex((one) => one.key === letter);
  const chosen = tail >= 0 ? remotes.length + tail : takes(key) ? cursor : undefined;
  if (chosen === undefined) return { at: 'remotes', cursor };
  const remote = remotes[chosen];
  if (remote !== undefined) return { at: 'actions', remote, cursor: 0 };
  return MENU_TAIL[chosen - remotes.length]?.key === 'h'
    ? { at: 'runs', cursor: 0 }
    : withFlags(CONFIG, contents.flags);
}

function onActions(
  contents: HomeContents,
  remote: HomeRemote,
  cursor: number,
  key: Key,
): HomeView | HomeCommand {
  const actions = actionsFor(remote);
  const letter = typed(key);
  const byLetter = actions.find((one) => one.key === letter);
  const action = byLetter ?? (takes(key) ? actions[cursor] : undefined);
  if (action !== undefined) {
    if (action.asks.length === 0) return commandOf(action, remote.name, [], contents);
    const fields = action.asks.map(({ preset }) => editText(preset(remote.name)));
    const empty = fields.findIndex(({ text }) => text === '');
    return { at: 'ask', remote, action, fields, field: Math.max(0, empty) };
  }
  if (goesBack(key)) return { at: 'remotes', cursor: 0 };
  return { at: 'actions', remote, cursor: moved(key, cursor, actions.length) ?? cursor };
}

function onAsk(contents: HomeContents, view: AskView, key: Key): HomeView | HomeCommand {
  const { remote, action, fields, field } = view;
  if (key.name === 'escape') return { at: 'actions', remote, cursor: 0 };
  if (key.name === 'up' || (key.name === 'tab' && key.shift)) {
    return { ...view, field: moveCursor(field, -1, fields.length) };
  }
  if (key.name === 'down' || key.name === 'tab') {
    return { ...view, field: moveCursor(field, 1, fields.length) };
  }
  if (key.name === 'enter') {
    const empty = fields.findIndex(({ text }, index) => index <= field && text.trim() === '');
    if (empty >= 0) {
      const { label = '', example = '' } = action.asks[empty] ?? {};
      return { ...view, field: empty, complaint: `enter "${label}", such as ${example}` };
    }
    if (field < fields.length - 1) return { ...withoutComplaint(view), field: field + 1 };
    const answers = fields.map(({ text }) => text.trim());
    return commandOf(action, remote.name, answers, contents);
  }
  const edited = editByKey(fields[field] ?? editText(''), key);
  if (edited === undefined) return view;
  return { ...withoutComplaint(view), fields: fields.with(field, edited) };
}

function withoutComplaint({ complaint: _, ...view }: AskView): AskView {
  return view;
}

function onRuns({ runs }: HomeContents, cursor: number, key: Key): HomeView {
  if (goesBack(key)) return { at: 'remotes', cursor: 0 };
  const run = runs[cursor];
  if (takes(key) && run !== undefined) return { at: 'run', run, cursor };
  return { at: 'runs', cursor: moved(key, cursor, runs.length) ?? cursor };
}

function onRun(run: PastRun, cursor: number, key: Key): HomeView | HomeCommand {
  if (goesBack(key)) return { at: 'runs', cursor };
  // Neither with a word that is left out nor with relative paths that would mean another place.
  const isWhole = run.dir !== '' && !run.words.some((word) => word.includes('REDACTED'));
  const again = typed(key) === 'r' && isWhole;
  if (again) return { words: run.words, hasScreen: false, dir: run.dir };
  return { at: 'run', run, cursor };
}

function onKeys(back: HomeView, first: number, key: Key): HomeView {
  if (key.name === 'down') return { at: 'keys', back, first: first + 1 };
  if (key.name === 'up') return { at: 'keys', back, first: Math.max(0, first - 1) };
  return back;
}
