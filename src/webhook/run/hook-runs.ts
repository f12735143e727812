import {
  type CommandResult,
  type CommandServices,
  type RunContext,
  runCommand,
} from '../command/run-command.ts';
import type { Hook } from '../hook.ts';
import type { HookRequest } from '../parameter/parameter-value.ts';
import type { RuleExplanation } from '../rule/judge-rule.ts';
import { RunLedger, type RunRecord, type RunState } from './run-ledger.ts';
import { RunQueues } from './run-queues.ts';

/** Requests with larger bodies are not kept for another run. */
const MAX_REQUEST_BYTES = 256 << 10;
/** Bytes kept of what a command wrote. */
const MAX_OUTPUT_BYTES = 64 << 10;

const WHY_LEFT = {
  replaced: 'a newer run took its place',
  full: 'the queue was full',
  stopped: 'the server stopped',
};

/** What is kept of runs. */
interface RunOptions {
  /** Commands of all hooks that run at once; 0: no limit. */
  readonly maxCommands: number;
  /** Runs that are over and still listed. */
  readonly history: number;
  readonly keepsRuns: boolean;
  /** Requests are kept for another run, and output for those who watch. */
  readonly keepsOutput: boolean;
  readonly counts: boolean;
}

/** What is known of the request beside what rules see. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Without secrets. */
  readonly target: string;
  readonly rerunOf?: string;
}

/** The result of a start; `limited`: the hook's rate permits another one after `retryMs`. */
export type RunStart = { readonly id: string } & (
  | { readonly outcome: 'accepted'; readonly done: Promise<CommandResult | undefined> }
  | { readonly outcome: 'full' | 'left-out' }
  | { readonly outcome: 'limited'; readonly retryMs: number }
);

/** The runs of all hooks: starts them now or in their turn, counts them, and keeps them for those who ask. */
export class HookRuns {
  readonly queues: RunQueues;
  readonly ledger: RunLedger;
  readonly counters = new HookCounters();
  readonly #command: CommandServices;
  readonly #options: RunOptions;
  /** Part of every id, so that ids of an earlier server do not come again and ids sort by time. */
  readonly #started = Date.now().toString(36);
  #count = 0;

  constructor(command: CommandServices, options: RunOptions) {
    this.#command = command;
    this.#options = options;
    this.queues = new RunQueues(options.maxCommands);
    this.ledger = new RunLedger({
      maxOver: options.history,
      maxRequestBytes: options.keepsOutput ? MAX_REQUEST_BYTES : -1,
      maxOutputBytes: options.keepsOutput ? MAX_OUTPUT_BYTES : 0,
    });
  }

  /** Requests are shown to those who ask. */
  get keepsRequests(): boolean {
    return this.#options.keepsRuns;
  }

  /** Counts an answer; `hook` is empty where there is no such hook. */
  answered(hook: string, status: number): void {
    if (this.#options.counts) this.counters.answered(hook, status);
  }

  /** Resolves when there is room for another start; `undefined` where there is now. */
  room(): Promise<void> | undefined {
    return this.#command.starter.room();
  }

  /** Records a request that a rule refused. Gives its id, empty if runs are not counted. */
  refused(
    hook: Hook,
    request: HookRequest,
    origin: RequestOrigin,
    explain: () => RuleExplanation,
  ): string {
    if (!this.#options.counts) return '';
    const explanation = this.#options.keepsRuns ? { explanation: explain() } : {};
    const { id, move } = this.#record(hook, request, origin);
    move('refused', { endedMs: Date.now(), ...explanation });
    return id;
  }

  /** Starts a hook's command for a request, now or in its turn. */
  start(hook: Hook, request: HookRequest, origin: RequestOrigin, context: RunContext): RunStart {
    const { id, move } = this.#record(hook, request, origin);
    const rate = hook.limits?.rate;
    const retryMs = rate === undefined ? 0 : this.queues.takeRate(hook.id, rate, Date.now());
    if (retryMs > 0) {
      move('dropped', { failure: 'more runs than rate-limit allows' });
      return { id, outcome: 'limited', retryMs };
    }
    move('waiting', {});
    const { state, done } = this.queues.submit(hook.id, hook.limits, {
      begin: async () => {
        move('running', { startedMs: Date.now() });
        const onOutput = (chunk: Buffer) => {
          this.ledger.output(id, chunk);
          return context.onOutput?.(chunk);
        };
        const watched = this.#options.keepsOutput ? { ...context, onOutput } : context;
        const result = await runCommand(hook, request, this.#command, watched);
        const { failed, failure } = result;
        move(failed ? 'failed' : 'done', { endedMs: Date.now(), ...(failure && { failure }) });
        return result;
      },
      leave: (why) => {
        const failure = WHY_LEFT[why];
        move(why === 'replaced' ? why : 'dropped', { endedMs: Date.now(), failure });
        context.log(`${hook.id} was not run: ${failure}`);
      },
    });
    if (state === 'full' || state === 'left-out') return { id, outcome: state };
    return { id, outcome: 'accepted', done };
  }

  /** Gives a run its id, and the function that counts and lists its states. */
  #record(hook: Hook, request: HookRequest, origin: RequestOrigin) {
    const id = `${this.#started}-${(++this.#count).toString(36).padStart(4, '0')}`;
    const { keepsRuns, counts } = this.#options;
    const receivedMs = Date.now();
    let before: RunState | undefined;
    let startedMs: number | undefined;
    const move = (state: RunState, change: Partial<RunRecord>) => {
      startedMs = change.startedMs ?? startedMs;
      const { endedMs } = change;
      const took =
        startedMs === undefined || endedMs === undefined ? undefined : endedMs - startedMs;
      if (counts) this.counters.moved(hook.id, before, state, took);
      if (keepsRuns && before !== undefined) this.ledger.change(id, { state, ...change });
      else if (keepsRuns) {
        const { method, remoteAddress } = request;
        const record = { id, hook: hook.id, method, remoteAddress, receivedMs, state };
        this.ledger.open({ ...record, ...origin, ...change }, request);
      }
      before = state;
    };
    return { id, move };
  }
}

/** Upper bounds of the classes of durations, in seconds. */
export const DURATION_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800] as const;

/** What is counted of one hook. */
export interface HookCount {
  /** Answers by status. */
  readonly answers: Map<number, number>;
  /** Runs by how they ended. */
  readonly ended: Map<RunState, number>;
  /** How many lie in each class of `DURATION_BOUNDS`, as Prometheus counts them; the last is for longer ones. */
  readonly durations: { readonly classes: number[]; sum: number };
  running: number;
  waiting: number;
}

/** Counts requests and runs by hook. Requests for hooks that do not exist count for the hook "". */
export class HookCounters {
  /** By hook. */
  readonly hooks = new Map<string, HookCount>();

  /** Counts an answer. */
  answered(hook: string, status: number): void {
    const { answers } = this.#of(hook);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }

  /** Counts a run that goes from one state into another; `undefined` where it was nothing before. */
  moved(hook: string, from: RunState | undefined, to: RunState, tookMs?: number): void {
    const count = this.#of(hook);
    if (from === 'running' || from === 'waiting') count[from]--;
    if (to === 'running' || to === 'waiting') {
      count[to]++;
      return;
    }
    count.ended.set(to, (count.ended.get(to) ?? 0) + 1);
    if (tookMs === undefined) return;
    const seconds = tookMs / 1000;
    const found = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    const { classes } = count.durations;
    const at = found < 0 ? DURATION_BOUNDS.length : found;
    classes[at] = (classes[at] ?? 0) + 1;
    count.durations.sum += seconds;
  }

  #of(hook: string): HookCount {
    let count = this.hooks.get(hook);
    if (count === undefined) {
      const classes = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
      const durations = { classes, sum: 0 };
      count = { answers: new Map(), ended: new Map(), durations, running: 0, waiting: 0 };
      this.hooks.set(hook, count);
    }
    return count;
  }
}
