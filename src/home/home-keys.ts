import type { Key } from '../screen/key.ts';
import { type KeyRule, keyName, row, ruleOf } from '../screen/key-table.ts';
import { MOVE, stepOf } from '../screen/list-keys.ts';
import { moveCursor } from '../screen/scroll.ts';
import { type ScreenStep, stepTo } from '../screen/state-screen.ts';
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

/** The screen ends with a command to run, or without one. */
export interface HomeEffect {
  readonly type: 'end';
  readonly command: HomeCommand | undefined;
}

type HomeStep = ScreenStep<HomeView, HomeEffect>;
type HomeRule = KeyRule<(name: string, key: Key) => HomeStep>;

/** What stands below the remotes. */
export const MENU_TAIL = [
  { key: 'n', label: 'New remote', note: 'local disk, S3, cloud drive' },
  { key: 'g', label: 'Configuration', note: 'edit, rename, copy, delete, import from rclone' },
  { key: 'h', label: 'History', note: 'recent runs and their results' },
] as const;

const OPEN = {
  keys: 'Enter',
  also: '→ l',
  does: 'open',
  more: 'open the item at the cursor; also → and l',
};
const BACK = { keys: 'Esc', also: '← q', does: 'back', more: 'go back; also ← and q' };
const PAGE = 10;

/** The keys that work now, the most important first. */
export function homeKeys(contents: HomeContents, view: HomeView): readonly HomeRule[] {
  const ctrlC: HomeRule = row('Ctrl-C', 'quit', '', () => end(view), { short: '' });
  const help: HomeRule = row('?', 'keys', 'show or hide this page', () =>
    stepTo({ at: 'keys', back: view, first: 0 }),
  );
  switch (view.at) {
    case 'remotes':
      return [...remotesKeys(contents, view, help), ctrlC];
    case 'actions':
      return [...actionsKeys(contents, view, help), ctrlC];
    case 'ask':
      return [...askKeys(contents, view), ctrlC];
    case 'runs':
      return [...runsKeys(contents, view, help), ctrlC];
    case 'run':
      return [...runKeys(view, help), ctrlC];
    case 'keys': {
      const to = (first: number) => stepTo({ ...view, first: Math.max(0, first) });
      return [
        row('↑↓', 'scroll', '', (name) => to(view.first + stepOf(name, PAGE))),
        row('any key', 'back', '', () => stepTo(view.back)),
        ctrlC,
      ];
    }
  }
}

/** What a key makes of the screen. */
export function takeHomeKey(contents: HomeContents, view: HomeView, key: Key): HomeStep {
  return ruleOf(homeKeys(contents, view), key)?.run(keyName(key), key) ?? stepTo(view);
}

function end(view: HomeView, command?: HomeCommand): HomeStep {
  return stepTo(view, { type: 'end', command });
}

function remotesKeys(
  contents: HomeContents,
  view: HomeView & { at: 'remotes' },
  help: HomeRule,
): readonly HomeRule[] {
  const { remotes, flags } = contents;
  const tail = (key: string) =>
    key === 'h'
      ? stepTo({ at: 'runs', cursor: 0 } as const)
      : end(view, withFlags({ words: ['config'], hasScreen: true }, flags));
  const open = () => {
    const remote = remotes[view.cursor];
    if (remote !== undefined) return stepTo({ at: 'actions', remote, cursor: 0 } as const);
    return tail(MENU_TAIL[view.cursor - remotes.length]?.key ?? '');
  };
  const total = remotes.length + MENU_TAIL.length;
  return [
    { ...OPEN, run: open },
    { ...MOVE, run: (name) => moved(view, name, total) },
    row('q', 'quit', 'quit; inside a list go back', () => end(view)),
    help,
    row('n', 'new remote', '', tail),
    row('h', 'history', '', tail),
    row('g', 'configuration', '', tail),
    row('1…9', 'go to remote', 'go to the remote with that number', (name) =>
      stepTo(Number(name) > remotes.length ? view : { ...view, cursor: +name - 1 }),
    ),
    row('Esc', 'back', 'go back; here quit', () => end(view)),
  ];
}

function actionsKeys(
  contents: HomeContents,
  view: HomeView & { at: 'actions' },
  help: HomeRule,
): readonly HomeRule[] {
  const { remote, cursor } = view;
  const actions = actionsFor(remote);
  const take = (action: HomeAction | undefined) => {
    if (action === undefined) return stepTo(view);
    if (action.asks.length === 0) return end(view, commandOf(action, remote.name, [], contents));
    const fields = action.asks.map(({ preset }) => editText(preset(remote.name)));
    const empty = fields.findIndex(({ text }) => text === '');
    return stepTo({ at: 'ask', remote, action, fields, field: Math.max(0, empty) } as const);
  };
  return [
    {
      ...OPEN,
      also: '→',
      more: 'open the item at the cursor; also →',
      run: () => take(actions[cursor]),
    },
    { ...BACK, run: () => stepTo({ at: 'remotes', cursor: 0 }) },
    {
      ...MOVE,
      also: 'j PgUp PgDn Home End',
      more: 'move; also j, PgUp and PgDn, Home and End',
      run: (name) => moved(view, name, actions.length),
    },
    help,
    ...actions.map((action): HomeRule => {
      const { key, label, note } = action;
      return row(key, label, `${label} ${note}`, () => take(action), { short: '' });
    }),
  ];
}

function askKeys(contents: HomeContents, view: AskView): readonly HomeRule[] {
  const { remote, fields, field } = view;
  const go = (step: number) => stepTo({ ...view, field: moveCursor(field, step, fields.length) });
  return [
    row('Enter', 'next, then run', '', () => next(contents, view)),
    { ...BACK, also: '', more: 'go back', run: () => stepTo({ at: 'actions', remote, cursor: 0 }) },
    row(
      'Tab',
      'other field',
      'go to the other field; also Shift-Tab, ↑ and ↓',
      (name) => go(name === '↑' || name === 'Shift-Tab' ? -1 : 1),
      { also: 'Shift-Tab ↑↓' },
    ),
    row('any key', '', '', (_, key) => {
      const edited = editByKey(fields[field] ?? editText(''), key);
      if (edited === undefined) return stepTo(view);
      return stepTo({ ...withoutComplaint(view), fields: fields.with(field, edited) });
    }),
  ];
}

/** Goes to the first field without an answer, or runs the command. */
function next(contents: HomeContents, view: AskView): HomeStep {
  const { remote, action, fields, field } = view;
  const empty = fields.findIndex(({ text }, index) => index <= field && text.trim() === '');
  if (empty >= 0) {
    const { label = '', example = '' } = action.asks[empty] ?? {};
    return stepTo({ ...view, field: empty, complaint: `enter "${label}", such as ${example}` });
  }
  if (field < fields.length - 1) return stepTo({ ...withoutComplaint(view), field: field + 1 });
  const answers = fields.map(({ text }) => text.trim());
  return end(view, commandOf(action, remote.name, answers, contents));
}

function withoutComplaint({ complaint: _, ...view }: AskView): AskView {
  return view;
}

function runsKeys(
  { runs }: HomeContents,
  view: HomeView & { at: 'runs' },
  help: HomeRule,
): readonly HomeRule[] {
  const { cursor } = view;
  const open = () => {
    const run = runs[cursor];
    return stepTo<HomeView>(run === undefined ? view : { at: 'run', run, cursor });
  };
  return [
    { ...OPEN, run: open },
    { ...MOVE, run: (name) => moved(view, name, runs.length) },
    { ...BACK, run: () => stepTo({ at: 'remotes', cursor: 0 }) },
    help,
  ];
}

function runKeys(view: HomeView & { at: 'run' }, help: HomeRule): readonly HomeRule[] {
  const { run, cursor } = view;
  // Neither with a word that is left out nor with relative paths that would mean another place.
  const isWhole = run.dir !== '' && !run.words.some((word) => word.includes('REDACTED'));
  return [
    row('r', 'run again', 'run the same command line again, in the same directory', () =>
      isWhole ? end(view, { words: run.words, hasScreen: false, dir: run.dir }) : stepTo(view),
    ),
    { ...BACK, run: () => stepTo({ at: 'runs', cursor }) },
    help,
  ];
}

function moved<View extends HomeView & { readonly cursor: number }>(
  view: View,
  name: string,
  total: number,
): HomeStep {
  return stepTo({ ...view, cursor: moveCursor(view.cursor, stepOf(name, PAGE), total) });
}
