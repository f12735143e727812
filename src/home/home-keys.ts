import type { Key } from '../screen/key.ts';
import { keyName, row, ruleOf } from '../screen/key-table.ts';
import { MOVE, stepOf } from '../screen/list-keys.ts';
import { moveCursor } from '../screen/scroll.ts';
import { stepTo } from '../screen/state-screen.ts';
import { editText } from '../screen/text-edit.ts';
import { askKeys } from './ask-keys.ts';
import { actionsFor, commandOf, type HomeAction, withFlags } from './home-actions.ts';
import type { HomeCommand, HomeContents } from './home-entry.ts';
import type { HomeRule, HomeStep, HomeView, RunView } from './home-view.ts';
import { canPlan } from './past-run.ts';

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
const BACK = { keys: 'Esc', also: '← h q', does: 'back', more: 'go back; also ←, h and q' };
/** `g` is the configuration there. */
const WITHOUT_G = {
  also: MOVE.also.replace(' g ', ' '),
  more: 'move; also j and k, PgUp and PgDn, Home and End, G',
};
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
      return [...askKeys(contents, view, help), ctrlC];
    case 'runs':
      return [...runsKeys(contents, view, help), ctrlC];
    case 'run':
      return [...runKeys(view, help), ctrlC];
    case 'again':
      return [...againKeys(view), ctrlC];
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
    { ...MOVE, ...WITHOUT_G, run: (name) => moved(view, name, total) },
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
    if (action.isTest) {
      const place = actions.indexOf(action);
      return stepTo(
        { ...view, cursor: place, test: 'running' } as const,
        {
          type: 'test',
          remote: remote.name,
        } as const,
      );
    }
    if (action.asks.length === 0) return end(view, commandOf(action, remote.name, [], contents));
    const fields = action.asks.map(({ preset }) => editText(preset(remote.name)));
    const empty = fields.findIndex(({ text }) => text === '');
    return stepTo({ at: 'ask', remote, action, fields, field: Math.max(0, empty) } as const);
  };
  return [
    { ...OPEN, run: () => take(actions[cursor]) },
    { ...BACK, run: () => stepTo({ at: 'remotes', cursor: 0 }) },
    {
      ...MOVE,
      also: MOVE.also.replace(' k ', ' '),
      more: 'move; also j, PgUp and PgDn, Home and End, g and G',
      run: (name) => moved(view, name, actions.length),
    },
    help,
    ...actions.map((action): HomeRule => {
      const { key, label, note } = action;
      return row(key, label, `${label} ${note}`, () => take(action), { short: '' });
    }),
  ];
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

function runKeys(view: RunView, help: HomeRule): readonly HomeRule[] {
  const { run, cursor } = view;
  // Neither with a word that is left out nor with relative paths that would mean another place.
  const isWhole = run.dir !== '' && !run.words.some((word) => word.includes('REDACTED'));
  return [
    row(
      'r',
      'run again',
      'run the same command line again, in the same directory (asks first)',
      () => stepTo<HomeView>(isWhole ? { ...view, at: 'again' } : view),
    ),
    { ...BACK, run: () => stepTo({ at: 'runs', cursor }) },
    help,
  ];
}

/** Enter is No: it may still be held down from the list. */
function againKeys(view: RunView): readonly HomeRule[] {
  const { run } = view;
  const again = (...more: string[]) =>
    end(view, { words: [...run.words, ...more], hasScreen: false, dir: run.dir });
  const back = () => stepTo<HomeView>({ ...view, at: 'run' });
  const plan = row('p', 'plan first', 'show what it would do first, and choose', () =>
    again('--review'),
  );
  return [
    row('y', 'run', 'run it as it was', () => again()),
    ...(canPlan(run) ? [plan] : []),
    row('n', 'cancel', 'go back; also Esc, Enter, ← and q', back, { also: 'Esc Enter ← q' }),
  ];
}

function moved<View extends HomeView & { readonly cursor: number }>(
  view: View,
  name: string,
  total: number,
): HomeStep {
  return stepTo({ ...view, cursor: moveCursor(view.cursor, stepOf(name, PAGE), total) });
}
