import { stripVTControlCharacters } from 'node:util';
import { harmless } from '../../src/core/shown-text.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { type Filtered, shownOf } from '../../src/terminal/list-filter.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { type ScreenStep, stepTo } from '../../src/terminal/state-screen.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { HookOverview, RunDetails } from '../../src/webhook/control/control-client.ts';
import { requestLines } from '../../src/webhook/log/shown-request.ts';
import { stateWord } from '../../src/webhook/report/run-lines.ts';
import { isOver, type RunRecord } from '../../src/webhook/run/run-ledger.ts';

/** A run that is open on the screen. */
interface OpenRun {
  readonly id: string;
  /** What its command wrote, as far as it is known. */
  readonly output: string;
  /** Its headers and body; `undefined`: not known yet. */
  readonly request?: readonly string[];
  /** What is shown below what is known of it. */
  readonly below: 'output' | 'request';
  /** First line shown; `end`: the newest stay in sight. */
  readonly top: number | 'end';
}

/** A run of which nothing else is known yet. */
export const openRun = (id: string): OpenRun => ({ id, output: '', below: 'output', top: 'end' });

/** What the screen of the hooks shows. */
export interface HooksState extends Filtered {
  readonly page: 'hooks' | 'runs' | 'run';
  readonly hooks: readonly HookOverview[];
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  /** Those of one hook only; absent: of all. */
  readonly hook?: string;
  /** The hook that the cursor is on, by its place in what is shown. */
  readonly hookAt: number;
  /** The run that the cursor is on, by its id: new ones come above it. */
  readonly runAt?: string;
  readonly open?: OpenRun;
  /** What the command of the run under the cursor wrote. */
  readonly beside?: { readonly run: string; readonly output: string };
  /** The run that would be run again. */
  readonly asked?: string;
  readonly message?: { readonly text: string; readonly bad: boolean };
  /** The server is there. */
  readonly connected: boolean;
}

export const FIRST_STATE: HooksState = {
  page: 'hooks',
  hooks: [],
  runs: [],
  hookAt: 0,
  connected: true,
};

/** What is to be done besides showing. */
export type HooksEffect =
  | { readonly type: 'quit' }
  /** Follow what a run writes, and no other's any more. */
  | { readonly type: 'open'; readonly run: string }
  | { readonly type: 'close' }
  | { readonly type: 'rerun'; readonly run: string };

export type HooksEvent =
  | { readonly type: 'hooks'; readonly hooks: readonly HookOverview[] }
  | { readonly type: 'history'; readonly runs: readonly RunRecord[] }
  | { readonly type: 'run'; readonly run: RunRecord }
  | { readonly type: 'details'; readonly details: RunDetails }
  | { readonly type: 'output'; readonly run: string; readonly text: string }
  | { readonly type: 'beside'; readonly run: string; readonly output: string }
  | { readonly type: 'rerun'; readonly run: RunRecord }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'gone' };

/** What came of a key or an event. */
export type HooksStep = ScreenStep<HooksState, HooksEffect>;

/** The hooks whose names hold what the filter looks for. */
export function shownHooks(state: HooksState): readonly HookOverview[] {
  return shownOf(state.hooks, state, ({ id }) => id);
}

/** The runs that are shown: all, or those of one hook, whose id, hook or state holds what the filter looks for. */
export function shownRuns(state: HooksState): readonly RunRecord[] {
  const { runs, hook } = state;
  const of = hook === undefined ? runs : runs.filter((run) => run.hook === hook);
  return shownOf(of, state, (run) => `${run.id} ${run.hook} ${stateWord(run)[0]}`);
}

/** The place of the run that the cursor is on. */
export function runPlace(state: HooksState): number {
  const found = shownRuns(state).findIndex(({ id }) => id === state.runAt);
  return Math.max(0, found);
}

/** The run that the cursor is on, or the last one of the hook that it is on. */
export function runAtCursor(state: HooksState): RunRecord | undefined {
  if (state.page === 'hooks') return shownHooks(state)[state.hookAt]?.last;
  return state.page === 'runs' ? shownRuns(state)[runPlace(state)] : undefined;
}

/** What an event makes of the screen. */
export function takeEvent(state: HooksState, event: HooksEvent): HooksStep {
  switch (event.type) {
    case 'hooks': {
      const next = { ...state, hooks: event.hooks };
      const shown = shownHooks(next);
      const id = shownHooks(state)[state.hookAt]?.id;
      const at = shown.findIndex((hook) => hook.id === id);
      const near = Math.max(0, Math.min(state.hookAt, shown.length - 1));
      return stepTo({ ...next, hookAt: at < 0 ? near : at });
    }
    case 'history':
      return stepTo({ ...state, runs: event.runs });
    case 'run':
      return stepTo(withRun(state, event.run));
    case 'details': {
      const { run } = event.details;
      const request = requestLines(event.details.request);
      if (state.open?.id !== run.id) return stepTo(state);
      return stepTo({ ...withRun(state, run), open: { ...state.open, request } });
    }
    case 'output': {
      if (state.open?.id !== event.run) return stepTo(state);
      // The screen keeps the end of a long output.
      const output = `${state.open.output}${event.text}`.slice(-(1 << 20));
      return stepTo({ ...state, open: { ...state.open, output } });
    }
    case 'beside':
      return stepTo({ ...state, beside: { run: event.run, output: event.output } });
    case 'rerun': {
      const { id } = event.run;
      const text = `run again as ${id}`;
      const next = { ...withRun(state, event.run), message: { text, bad: false }, runAt: id };
      if (state.page !== 'run') return stepTo(next);
      return stepTo({ ...next, open: openRun(id) }, { type: 'open', run: id });
    }
    case 'failed':
      return stepTo({ ...state, message: { text: event.message, bad: true } });
    case 'gone':
      return stepTo({ ...state, connected: false });
  }
}

/** The state with what is new about a run, in the list of runs and at its hook. */
function withRun(state: HooksState, run: RunRecord): HooksState {
  const before = state.runs.find(({ id }) => id === run.id);
  // The answer to a question may be older than the event that came behind it in one read.
  if (before !== undefined && isOver(before.state) && !isOver(run.state)) return state;
  const runs =
    before === undefined
      ? [run, ...state.runs].slice(0, 1000)
      : state.runs.map((known) => (known === before ? run : known));
  const hooks = state.hooks.map((hook) =>
    hook.id === run.hook ? withLast(hook, before, run) : hook,
  );
  return { ...state, runs, hooks };
}

function withLast(hook: HookOverview, before: RunRecord | undefined, run: RunRecord): HookOverview {
  const step = (state: 'running' | 'waiting' | 'refused' | 'failed') =>
    hook[state] + Number(run.state === state) - Number(before?.state === state);
  const isNewest = hook.last === undefined || run.receivedMs >= hook.last.receivedMs;
  const last = isNewest || hook.last?.id === run.id ? run : hook.last;
  return {
    ...hook,
    ...(last && { last }),
    refused: step('refused'),
    failed: step('failed'),
    // What was over before it was known counted nowhere.
    running: before !== undefined && isOver(before.state) ? hook.running : step('running'),
    waiting: before !== undefined && isOver(before.state) ? hook.waiting : step('waiting'),
  };
}

/** What a command wrote as lines of a screen, without anything that a terminal would obey. */
export function outputLines(output: string, columns: number): string[] {
  if (output === '') return [];
  const lines = output.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => {
    // Of a line that was written over and over its last state counts.
    const last = stripVTControlCharacters(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
    return wrap(harmless(last.replace(/\t/g, '    ')), Math.max(1, columns));
  });
}

/** What stands below the facts of a run: its output, or its request if that is wanted or there is no output. */
export function linesBelow({ output, request, below }: OpenRun, columns: number) {
  const isOutput = below === 'output' && output !== '';
  const lines: readonly Line[] = isOutput
    ? outputLines(output, columns).map((text) => [span(text)])
    : (request?.flatMap((line) => textLines(line, columns)) ?? []);
  return { isOutput, lines };
}
