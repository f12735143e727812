import { stepTo } from '../../screen/state-screen.ts';
import type { HookOverview } from '../control/control-protocol.ts';
import { requestLines } from '../report/request-lines.ts';
import { isOver, type RunRecord } from '../run/run-record.ts';
import type { HooksEvent, HooksState, HooksStep } from './hooks-state.ts';

/** Runs that the screen keeps. */
const MAX_RUNS = 1000;
/** Letters of a run's output that the screen keeps: its end. */
const MAX_OUTPUT = 1 << 20;

/** What an event makes of the screen. */
export function takeEvent(state: HooksState, event: HooksEvent): HooksStep {
  switch (event.type) {
    case 'hooks':
      return stepTo({
        ...state,
        hooks: event.hooks,
        hookAt: Math.max(0, Math.min(state.hookAt, event.hooks.length - 1)),
      });
    case 'history':
      return stepTo({ ...state, runs: event.runs });
    case 'run':
      return stepTo(withRun(state, event.run));
    case 'details': {
      const { run, canRerun } = event.details;
      const request = requestLines(event.details.request);
      if (state.open?.id !== run.id) return stepTo(state);
      return stepTo({ ...withRun(state, run), open: { ...state.open, canRerun, request } });
    }
    case 'output': {
      if (state.open?.id !== event.run) return stepTo(state);
      const output = `${state.open.output}${event.text}`.slice(-MAX_OUTPUT);
      return stepTo({ ...state, open: { ...state.open, output } });
    }
    case 'rerun': {
      const { id } = event.run;
      const text = `run again as ${id}`;
      const next = { ...withRun(state, event.run), message: { text, bad: false }, runAt: id };
      if (state.page !== 'run') return stepTo(next);
      const open = { id, output: '', canRerun: true, below: 'output', top: 'end' } as const;
      return stepTo({ ...next, open }, { type: 'open', run: id });
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
  const runs =
    before === undefined
      ? [run, ...state.runs].slice(0, MAX_RUNS)
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
