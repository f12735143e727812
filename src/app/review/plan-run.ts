import type { Context } from '../../core/context.ts';
import { hasCode, toSyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { type LiveBlock, startLiveBlock } from '../../progress/live-block.ts';
import { type Plan, startPlanner } from '../../review/plan.ts';
import { isCtrl } from '../../screen/key.ts';
import { span } from '../../screen/span.ts';
import type { Invocation } from '../command.ts';
import { jobControl } from '../process/job-control.ts';
import { openRawKeys, type RawKeys } from '../process/raw-keys.ts';

/** The planned changes of a run, and the errors of planning. */
export interface PlannedRun {
  readonly plan: Plan;
  readonly problems: readonly string[];
  /** The error of the run. */
  readonly error: unknown;
  /** Logs what was held back during planning. */
  tell(): void;
}

const REDRAW_MS = 200;

/**
 * Runs a command without changing anything and returns its changes. Rejects with errors that prevent the run itself.
 *
 * @param onTerminal shows the progress; discards keys typed during it
 */
export async function planRun(
  invocation: Invocation,
  deletesOnly: string | undefined,
  onTerminal: boolean,
  run: (invocation: Invocation) => Promise<void>,
): Promise<PlannedRun> {
  const { emit } = invocation.context;
  const planner = startPlanner(deletesOnly);
  const logged: SyncerEvent[] = [];
  const problems: string[] = [];
  let listed = 0;
  const context: Context = {
    ...invocation.context,
    emit(event) {
      if (event.type === 'listed') listed += event.entries;
      else if (event.type === 'retry-run') {
        planner.forget();
        problems.length = 0;
      } else if (event.type === 'error') problems.push(event.error.message);
      else if (event.type === 'log' && onTerminal) logged.push(event);
      else if (event.type === 'log' || event.type === 'wait') emit(event);
    },
  };
  const leave = onTerminal ? showPlanning(() => [listed, planner.plan.size]) : () => {};
  let error: unknown;
  try {
    await run({ ...invocation, guard: planner.guard, context });
  } catch (thrown) {
    error = hasCode(thrown, 'no-transfer') ? undefined : thrown;
  } finally {
    leave();
  }
  invocation.context.signal.throwIfAborted();
  const tell = () => logged.forEach(emit);
  if (error !== undefined && (planner.plan.size === 0 || toSyncerError(error).stop)) {
    tell();
    throw error;
  }
  return { plan: planner.plan, problems, error, tell };
}

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
  const timer = setInterval(() => {
    const [listed, changes] = counts();
    if (listed + changes === 0) return;
    keys ??= openRawKeys(stdin, write, (key) => {
      if (isCtrl(key, 'c')) jobControl(process).interrupt();
    });
    block.draw([[span(`Planning: ${listed} entries seen, ${changes} changes so far`)]]);
  }, REDRAW_MS);
  return () => {
    clearInterval(timer);
    keys?.close();
    block.leave();
  };
}
