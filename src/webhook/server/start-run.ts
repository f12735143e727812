import { type CommandContext, type CommandResult, runCommand } from '../command/run-command.ts';
import type { Hook } from '../file/hook.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import type { RuleExplanation } from '../rule/explain-rule.ts';
import type { HookCounters } from '../run/hook-counters.ts';
import type { RunLedger } from '../run/run-ledger.ts';
import type { RunQueues } from '../run/run-queues.ts';
import type { RunRecord, RunState } from '../run/run-record.ts';

/** Bytes of a command's output that are kept for the log alone. */
export const MAX_LOGGED = 16 << 20;

/** What runs are started and kept with. */
export interface RunServices {
  readonly queues: RunQueues;
  readonly newId: () => string;
  /** Absent where nobody can ask. */
  readonly ledger: RunLedger | undefined;
  readonly counters: HookCounters | undefined;
  /** What commands write is kept and passed on to those who watch. */
  readonly keepsOutput: boolean;
}

/** What is known of the request beside what rules see. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Without secrets. */
  readonly target: string;
  readonly rerunOf?: string;
}

/** What became of a run. */
export type RunStart = { readonly id: string } & (
  | { readonly outcome: 'accepted'; readonly done: Promise<CommandResult | undefined> }
  | { readonly outcome: 'full' | 'left-out' }
  /** Over the hook's rate, for so long. */
  | { readonly outcome: 'limited'; readonly retryMs: number }
);

/** Starts a hook's command for a request, now or when its turn comes. */
export function startRun(
  hook: Hook,
  request: HookRequest,
  origin: RequestOrigin,
  context: CommandContext,
  runs: RunServices,
): RunStart {
  const { queues, ledger, keepsOutput } = runs;
  const follow = followRun(hook, request, origin, runs);
  const { id } = follow;
  const rate = hook.limits?.rate;
  const retryMs = rate === undefined ? 0 : queues.takeRate(hook.id, rate, Date.now());
  if (retryMs > 0) {
    follow.move('dropped', { failure: 'more runs than rate-limit allows' });
    return { id, outcome: 'limited', retryMs };
  }
  follow.move('waiting', {});
  const onOutput = (chunk: Buffer) => {
    ledger?.output(id, chunk);
    return context.onOutput?.(chunk);
  };
  const { state, done } = queues.submit(hook.id, hook.limits, {
    begin: async () => {
      follow.move('running', { startedMs: Date.now() });
      const watched = ledger !== undefined && keepsOutput;
      const result = await runCommand(hook, request, watched ? { ...context, onOutput } : context);
      const { failed, failure } = result;
      const endedMs = Date.now();
      follow.move(failed ? 'failed' : 'done', { endedMs, ...(failure && { failure }) });
      return result;
    },
    leave: (why) => {
      const failure = why === 'replaced' ? 'a newer run took its place' : 'the queue was full';
      follow.move(why, { endedMs: Date.now(), failure });
      context.log(`${hook.id} was not run: ${failure}`);
    },
  });
  if (state === 'full' || state === 'left-out') return { id, outcome: state };
  return { id, outcome: 'accepted', done };
}

/** Enters a request that a rule refused. Gives its id, empty where nobody would see it. */
export function noteRefusal(
  hook: Pick<Hook, 'id'>,
  request: HookRequest,
  origin: RequestOrigin,
  runs: RunServices,
  explain: () => RuleExplanation,
): string {
  if (runs.ledger === undefined && runs.counters === undefined) return '';
  const endedMs = Date.now();
  const explanation = runs.ledger === undefined ? {} : { explanation: explain() };
  const { id, move } = followRun(hook, request, origin, runs);
  move('refused', { endedMs, ...explanation });
  return id;
}

/** Tells ledger and counters of a run from its beginning on. */
function followRun(
  hook: Pick<Hook, 'id'>,
  request: HookRequest,
  origin: RequestOrigin,
  { ledger, counters, newId }: RunServices,
) {
  const id = newId();
  const receivedMs = Date.now();
  let before: RunState | undefined;
  let startedMs: number | undefined;
  const move = (state: RunState, change: Partial<RunRecord>) => {
    startedMs = change.startedMs ?? startedMs;
    const { endedMs } = change;
    const took = startedMs === undefined || endedMs === undefined ? undefined : endedMs - startedMs;
    counters?.moved(hook.id, before, state, took);
    if (before === undefined) {
      const { method, remoteAddress } = request;
      const record = { id, hook: hook.id, method, remoteAddress, receivedMs, state };
      ledger?.open({ ...record, ...origin, ...change }, request);
    } else {
      ledger?.change(id, { state, ...change });
    }
    before = state;
  };
  return { id, move };
}
