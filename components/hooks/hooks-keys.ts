import { moveCursor } from '../../src/terminal/cursor-list.ts';
import type { Key } from '../../src/terminal/key.ts';
import {
  ACTIONS,
  CTRL_C,
  HELP,
  type KeyRule,
  keyName,
  row,
  ruleOf,
} from '../../src/terminal/key-table.ts';
import { filterKeys, type NamedRows, unfiltered } from '../../src/terminal/list-filter.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import {
  type HooksState,
  type HooksStep,
  linesBelow,
  openRun,
  runPlace,
  shownHooks,
  shownRuns,
} from './hooks-state.ts';

/** `room`: what a page leaves for its content. */
type HooksRule = KeyRule<(state: HooksState, name: string, room: Size, key: Key) => HooksStep>;

const OPEN: HooksRule = row('Enter', 'open', 'open the item at the cursor; also → and l', open, {
  also: '→ l',
});

const MOVE_ON_LIST: HooksRule = {
  ...MOVE,
  run: (state, name, { rows }) => stepTo(moved(state, stepOf(name, rows))),
};

const SCROLL: HooksRule = {
  ...MOVE,
  does: 'scroll',
  run: (state, name, room) => stepTo(scrolled(state, stepOf(name, room.rows), room)),
};

const FOLLOW: HooksRule = row('f', 'follow', 'follow the output', (state, _, room) =>
  stepTo(state.open?.output === '' ? withoutOutput(state) : scrolled(state, Infinity, room)),
);

const REQUEST: HooksRule = row(
  'v',
  'request or output',
  'show the headers and the body of the request, or the output',
  (state) => stepTo(turned(state)),
);

const AGAIN: HooksRule = row(
  'r',
  'run again',
  'run the command again with the same request (asks first)',
  (state) => stepTo(ask(state)),
);

const ALL: HooksRule = row('a', 'all runs', 'show the runs of all hooks', (state) =>
  stepTo({ ...withoutHook(unfiltered(state, ROWS)), page: 'runs' }),
);

const BACK: HooksRule = row('Esc', 'back', 'go back; also ←, h, q and Backspace', back, {
  also: '← h q Backspace',
});

const QUIT: HooksRule = row('q', 'quit', 'quit; elsewhere go back', (state) =>
  stepTo(state, { type: 'quit' }),
);

const QUESTION: readonly HooksRule[] = [
  row(
    'y',
    'run again',
    '',
    ({ asked = '', ...state }) => stepTo(state, { type: 'rerun', run: asked }),
    { confirms: true },
  ),
  // Enter is No, as every other key.
  row('n', 'cancel', '', ({ asked: _, ...state }) => stepTo(state)),
  row('any key', '', '', ({ asked: _, ...state }) => stepTo(state)),
  CTRL_C,
];

const TABLES: Readonly<Record<HooksState['page'], readonly HooksRule[]>> = {
  hooks: [OPEN, MOVE_ON_LIST, QUIT, HELP, AGAIN, ALL],
  runs: [OPEN, MOVE_ON_LIST, BACK, HELP, AGAIN, ALL],
  run: [SCROLL, REQUEST, FOLLOW, AGAIN, BACK, HELP, ACTIONS, CTRL_C],
};

/** The keys of a run that has written nothing. */
const WITHOUT_OUTPUT = TABLES.run.map((rule) =>
  rule === REQUEST || rule === FOLLOW ? { ...rule, short: '' } : rule,
);

/** The keys that work now, the most important first. */
export function hooksKeys(state: HooksState): readonly HooksRule[] {
  const { asked, page, open, filter, isFiltering } = state;
  if (asked !== undefined) return QUESTION;
  if (page === 'run') return open?.output === '' ? WITHOUT_OUTPUT : TABLES.run;
  const filterRules = filterKeys(state, ROWS, stepTo<HooksState>).map(
    (rule): HooksRule => ({ ...rule, run: (_, name, __, key) => rule.run(name, key) }),
  );
  if (isFiltering === true) return [...filterRules, CTRL_C];
  const rules = TABLES[page].map((rule) =>
    rule === BACK && filter !== undefined ? { ...BACK, keys: '←', also: 'h q Backspace' } : rule,
  );
  const [find, ...showAll] = filterRules as [HooksRule];
  return [...rules, find, ACTIONS, CTRL_C, ...showAll];
}

/** What a key makes of the screen. */
export function takeKey(before: HooksState, key: Key, room: Size): HooksStep {
  const { message: _, ...state } = before;
  return ruleOf(hooksKeys(state), key)?.run(state, keyName(key), room, key) ?? stepTo(state);
}

/** One page back. */
function back(state: HooksState): HooksStep {
  if (state.page !== 'run')
    return stepTo({ ...withoutHook(unfiltered(state, ROWS)), page: 'hooks' });
  const { open: _, ...rest } = state;
  return stepTo({ ...rest, page: 'runs' }, { type: 'close' });
}

/** Asks whether the run that is open, or that the cursor is on, shall be run again. */
function ask(state: HooksState): HooksState {
  const run =
    state.page === 'hooks'
      ? shownHooks(state)[state.hookAt]?.last?.id
      : (state.open?.id ?? shownRuns(state)[runPlace(state)]?.id);
  if (run !== undefined) return { ...state, asked: run };
  return { ...state, message: { text: 'no run to repeat', bad: true } };
}

function open(state: HooksState): HooksStep {
  if (state.page === 'hooks') {
    const at = shownHooks(state)[state.hookAt];
    if (at === undefined) return stepTo(state);
    const { runAt: _, ...rest } = unfiltered(state, ROWS);
    return stepTo({ ...rest, page: 'runs', hook: at.id });
  }
  const run = shownRuns(state)[runPlace(state)]?.id;
  if (run === undefined) return stepTo(state);
  return stepTo({ ...state, page: 'run', runAt: run, open: openRun(run) }, { type: 'open', run });
}

function moved(state: HooksState, step: number): HooksState {
  if (state.page === 'hooks') {
    return { ...state, hookAt: moveCursor(state.hookAt, step, shownHooks(state).length) };
  }
  const runs = shownRuns(state);
  const runAt = runs[moveCursor(runPlace(state), step, runs.length)]?.id;
  return runAt === undefined ? state : { ...state, runAt };
}

function scrolled(state: HooksState, step: number, { columns, rows }: Size): HooksState {
  const { open } = state;
  if (open === undefined) return state;
  const { lines, isOutput } = linesBelow(open, columns);
  const last = Math.max(0, lines.length - rows);
  const from = open.top === 'end' ? (isOutput ? last : 0) : Math.min(open.top, last);
  const top = Math.max(0, Math.min(last, from + step));
  return { ...state, open: { ...open, top: top === last && step > 0 && isOutput ? 'end' : top } };
}

function withoutOutput(state: HooksState): HooksState {
  return { ...state, message: { text: 'the run has no output yet', bad: false } };
}

function turned(state: HooksState): HooksState {
  const { open } = state;
  if (open === undefined) return state;
  if (open.below === 'request' && open.output === '') return withoutOutput(state);
  const below = open.below === 'request' ? 'output' : 'request';
  return { ...state, open: { ...open, below, top: 'end' } };
}

/** The hooks, or the runs, by their ids. */
const ROWS: NamedRows<HooksState> = {
  rowAt: (state) =>
    state.page === 'hooks'
      ? shownHooks(state)[state.hookAt]?.id
      : shownRuns(state)[runPlace(state)]?.id,
  goTo(state, row) {
    if (state.page !== 'hooks') return row === undefined ? state : { ...state, runAt: row };
    const at = shownHooks(state).findIndex(({ id }) => id === row);
    return { ...state, hookAt: Math.max(0, at) };
  },
};

const withoutHook = ({ hook: _, runAt: __, ...state }: HooksState): HooksState => state;
