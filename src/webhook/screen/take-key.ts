import { isCtrl, type Key, typed } from '../../screen/key.ts';
import { moveCursor } from '../../screen/scroll.ts';
import {
  type HooksEffect,
  type HooksState,
  type HooksStep,
  type OpenRun,
  runPlace,
  shownRuns,
} from './hooks-state.ts';
import { outputLines } from './output-lines.ts';

/** Lines that a page leaves for its content. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** What a key makes of the screen. */
export function takeKey(before: HooksState, key: Key, room: Room): HooksStep {
  const { message: _, ...state } = before;
  if (isCtrl(key, 'c')) return does(state, { type: 'quit' });
  if (state.asked !== undefined) return answered(state, state.asked, key);
  const letter = typed(key);
  if (state.page === 'keys') return does({ ...state, page: state.before });
  if (letter === '?') return does({ ...state, page: 'keys', before: state.page });
  const isBack = key.name === 'escape' || key.name === 'left' || letter === 'h';
  if (isBack || letter === 'q' || key.name === 'backspace') return back(state, letter === 'q');
  if (letter === 'r') return ask(state);
  if (state.page === 'run') return does(scrolled(state, key, room));
  const step = stepOf(key, room.rows);
  if (step !== undefined) return does(moved(state, step));
  if (letter === 'a') return does({ ...withoutHook(state), page: 'runs' });
  if (key.name === 'enter' || key.name === 'right' || letter === 'l') return enter(state);
  return does(state);
}

function does(state: HooksState, ...effects: HooksEffect[]): HooksStep {
  return { state, effects };
}

function answered(before: HooksState, run: string, key: Key): HooksStep {
  const { asked: _, ...state } = before;
  const yes = key.name === 'enter' || typed(key) === 'y';
  return yes ? does(state, { type: 'rerun', run }) : does(state);
}

/** One page back; with `q` at the first one the screen goes. */
function back(state: HooksState, isQuit: boolean): HooksStep {
  if (state.page === 'run') {
    const { open: _, ...rest } = state;
    return does({ ...rest, page: 'runs' }, { type: 'close' });
  }
  if (state.page === 'runs') return does({ ...withoutHook(state), page: 'hooks' });
  return isQuit ? does(state, { type: 'quit' }) : does(state);
}

/** Asks whether the run that is open, or that the cursor is on, shall be run again. */
function ask(state: HooksState): HooksStep {
  const run =
    state.page === 'hooks'
      ? state.hooks[state.hookAt]?.last?.id
      : (state.open?.id ?? shownRuns(state)[runPlace(state)]?.id);
  if (run !== undefined) return does({ ...state, asked: run });
  return does({ ...state, message: { text: 'no run to repeat', bad: true } });
}

function enter(state: HooksState): HooksStep {
  if (state.page === 'hooks') {
    const hook = state.hooks[state.hookAt]?.id;
    if (hook === undefined) return does(state);
    const { runAt: _, ...rest } = state;
    return does({ ...rest, page: 'runs', hook });
  }
  const run = shownRuns(state)[runPlace(state)]?.id;
  if (run === undefined) return does(state);
  const open: OpenRun = { id: run, output: '', canRerun: true, top: 'end' };
  return does({ ...state, page: 'run', runAt: run, open }, { type: 'open', run });
}

function moved(state: HooksState, step: number): HooksState {
  if (state.page === 'hooks') {
    return { ...state, hookAt: moveCursor(state.hookAt, step, state.hooks.length) };
  }
  const runs = shownRuns(state);
  const runAt = runs[moveCursor(runPlace(state), step, runs.length)]?.id;
  return runAt === undefined ? state : { ...state, runAt };
}

function scrolled(state: HooksState, key: Key, { columns, rows }: Room): HooksState {
  const { open } = state;
  const step = typed(key) === 'f' ? Number.POSITIVE_INFINITY : stepOf(key, rows);
  if (open === undefined || step === undefined) return state;
  const last = Math.max(0, outputLines(open.output, columns).length - rows);
  const from = open.top === 'end' ? last : Math.min(open.top, last);
  const top = Math.max(0, Math.min(last, from + step));
  return { ...state, open: { ...open, top: top === last && step > 0 ? 'end' : top } };
}

function stepOf(key: Key, rows: number): number | undefined {
  switch (key.name) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'page-up':
      return -rows;
    case 'page-down':
      return rows;
    case 'home':
      return Number.NEGATIVE_INFINITY;
    case 'end':
      return Number.POSITIVE_INFINITY;
  }
  const letter = typed(key);
  if (letter === 'k') return -1;
  return letter === 'j' ? 1 : undefined;
}

function withoutHook({ hook: _, runAt: __, ...state }: HooksState): HooksState {
  return state;
}
