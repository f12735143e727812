import type { Context } from '../../core/context.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { type LiveBlock, startLiveBlock } from '../../progress/live-block.ts';
import type { PlanGuard } from '../../review/plan-guard.ts';
import { isCtrl } from '../../screen/key.ts';
import { span } from '../../screen/span.ts';
import { jobControl } from '../process/job-control.ts';
import { openRawKeys, type RawKeys } from '../process/raw-keys.ts';

/** What a run says while it is planned: held back until the plan was shown, if that is on a terminal. */
export interface Planning {
  readonly context: Context;
  /** Which attempt it is, from 1. */
  readonly attempt: number;
  /** The errors so far: something may be missing from the plan. */
  readonly problems: readonly string[];
  /** All was listed; what follows comes up again when the changes are made. */
  listed(): void;
  /** Takes the line with the progress away. */
  leave(): void;
  /** Logs all that was held back. */
  tell(): void;
  /** The changes are made: logs what the listing has found, and everything from now on. */
  end(): void;
}

const REDRAW_MS = 200;

/** Begins to plan; on a terminal it shows the progress, and discards keys typed during it. */
export function startPlanning(context: Context, guard: PlanGuard, onTerminal: boolean): Planning {
  const { emit } = context;
  const held: SyncerEvent[] = [];
  const problems: string[] = [];
  let [attempt, entries, found] = [1, 0, 0];
  let isOver = false;
  const leave = onTerminal ? showPlanning(() => [entries, guard.plan.size]) : () => {};
  const retry = () => {
    attempt++;
    guard.forget();
    problems.length = 0;
    for (let at = held.length - 1; at >= 0; at--)
      if (held[at]?.type === 'error') held.splice(at, 1);
  };
  const take = (event: SyncerEvent) => {
    if (isOver) return emit(event);
    if (event.type === 'retry-run') return retry();
    if (event.type === 'listed') entries += event.entries;
    if (event.type === 'error') problems.push(event.error.message);
    if (event.type === 'error' || (event.type === 'log' && onTerminal)) held.push(event);
    else if (WHILE_PLANNING.includes(event.type)) emit(event);
  };
  return {
    context: { ...context, emit: take },
    problems,
    get attempt() {
      return attempt;
    },
    listed: () => {
      found = held.length;
    },
    leave,
    tell: () => held.filter(({ type }) => type === 'log').forEach(emit),
    end() {
      isOver = true;
      held.slice(0, found).forEach(emit);
    },
  };
}

const WHILE_PLANNING: readonly SyncerEvent['type'][] = [
  'log',
  'wait',
  'listed',
  'check-queued',
  'checked',
];

/**
 * A line that counts, until the returned function is called. It starts with the first change: before, a password may
 * be requested.
 */
function showPlanning(counts: () => readonly [listed: number, changes: number]): () => void {
  const { stdin, stdout } = process;
  const write = (text: string) => void stdout.write(text);
  const block: LiveBlock = startLiveBlock(
    {
      write,
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    },
    false,
  );
  let keys: RawKeys | undefined;
  let isLeft = false;
  const timer = setInterval(() => {
    const [listed, changes] = counts();
    if (listed + changes === 0) return;
    keys ??= openRawKeys(stdin, write, (key) => {
      if (isCtrl(key, 'c')) jobControl(process).interrupt();
    });
    block.draw([[span(`Planning: ${listed} entries seen, ${changes} changes so far`)]]);
  }, REDRAW_MS);
  return () => {
    if (isLeft) return;
    isLeft = true;
    clearInterval(timer);
    keys?.close();
    block.leave();
  };
}
