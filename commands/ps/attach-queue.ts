import { shortRunId } from '../../src/core/run-id.ts';
import { ProgressView } from '../../src/run/progress/progress-view.ts';
import type { QueueConnection } from '../../src/run/queue/connect.ts';
import { findQueueRun, queueRuns, withQueue } from '../../src/run/queue/find-queue-run.ts';
import { stopQueueRun } from '../../src/run/queue/queue-run.ts';
import { queueRunLines } from '../../src/run/queue/queue-run-lines.ts';
import {
  errorOfWorker,
  type QueueRunDisplay,
  type QueueSnapshot,
  resultOf,
  snapshotLine,
  watchRun,
} from '../../src/run/queue/watch-run.ts';
import type {
  CommandCall,
  Environment,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { hasScreenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import { addError, ProgressState } from '../../src/shell/progress/progress-state.ts';
import { isPlainTerminal } from '../../src/system/plain-terminal.ts';
import { span } from '../../src/terminal/span.ts';
import { attachedText, ownTerminal, plainLines } from './attach.ts';

/**
 * `attach --queue`: watches a run until it ends or the user leaves. Rejects with the error that the run ended with, and
 * with `vanished` if there is no such run.
 */
export async function attachToQueue(
  invocation: CommandCall & Environment & StandardOutput,
): Promise<void> {
  const { args, context, env } = invocation;
  await withQueue(invocation, async (queue) => {
    const spec = findQueueRun(args[0], await queueRuns(queue));
    const onTerminal = hasScreenTerminal() && !isPlainTerminal(env);
    const display = onTerminal
      ? openQueueView(invocation, spec, queue)
      : plainDisplay(invocation, spec.id);
    const watching = new AbortController();
    const watch = watchRun(queue, spec, context, display, watching.signal);
    let how: Parameters<AttachedQueueDisplay['finish']>[0] = 'unknown';
    let outcome: Parameters<typeof resultOf> | undefined;
    try {
      const ending = await Promise.race([watch.ending, display.left]);
      if (ending !== undefined) outcome = [ending, spec, await watch.end()];
      how = ending === undefined ? 'left' : 'ended';
    } finally {
      watching.abort();
      await display.finish(how);
    }
    if (outcome !== undefined) resultOf(...outcome);
  });
}

/** Lines for pipes: errors as in the log, and the run in one line every `--stats`. */
function plainDisplay(invocation: CommandCall & StandardOutput, id: string): AttachedQueueDisplay {
  const { flags, context } = invocation;
  const text = attachedText(invocation);
  const { write, written } = plainLines(invocation);
  let told: number | undefined;
  let line = '';
  const tell = () => write(`Run ${id} ${line}\n`);
  return {
    show(run) {
      line = snapshotLine(run);
      const now = context.clock.monotonic();
      const isDue = told === undefined || (flags.stats > 0 && now - told >= flags.stats);
      if (!isDue || run.state.ended !== undefined) return;
      told = now;
      tell();
    },
    fail({ host, path, message }) {
      const at = path === undefined ? {} : { path };
      write(text({ level: 'error', message: `${host}: ${message}`, ...at }));
    },
    left: new Promise(() => {}),
    async finish(how) {
      if (how === 'ended') tell();
      await written();
    },
  };
}

/** A display that a user can leave. */
export interface AttachedQueueDisplay extends QueueRunDisplay {
  /** The user leaves it. */
  readonly left: Promise<void>;
  /** @param how the run is over, the user has left it, or nothing is known of it any more */
  finish(how: 'ended' | 'left' | 'unknown'): Promise<void>;
}

/**
 * The view of a run of a queue, with the keys of `syncer attach`.
 */
function openQueueView(
  invocation: CommandCall & Environment,
  { id, verb, source, dest }: QueueSnapshot['spec'],
  { redis, address }: QueueConnection,
): AttachedQueueDisplay {
  const { clock } = invocation.context;
  const left = Promise.withResolvers<void>();
  const state = new ProgressState(clock.monotonic());
  let seen: { readonly run: QueueSnapshot; readonly atMs: number } | undefined;
  let isStopping = false;
  const view = new ProgressView({
    ...ownTerminal(invocation),
    state,
    unit: invocation.flags['stats-unit'],
    control: {
      isPaused: false,
      get stopping() {
        return { aborted: isStopping || seen?.run.state.stop !== undefined };
      },
      slots: { width: 0, set() {} },
      pause() {},
      goOn() {},
      stop() {
        isStopping = true;
        // The queue is away: the key can be pressed again.
        stopQueueRun(redis, id, 'soft').catch(() => {
          isStopping = false;
        });
      },
    },
    attached: {
      name: `${shortRunId(id)} (${verb} ${source} ${dest})`,
      isFixed: true,
      detach: () => left.resolve(),
    },
    summary: () => [],
  });
  const again = `syncer attach ${shortRunId(id)} --queue ${address.shown}`;
  view.showOverview((style) => {
    if (seen === undefined) return [[span(`run ${shortRunId(id)}`, 'accent', true)]];
    return queueRunLines(seen.run, style, clock.monotonic() - seen.atMs);
  });
  return {
    show(run) {
      seen = { run, atMs: clock.monotonic() };
    },
    fail: (error) => addError(state, errorOfWorker(error)),
    left: left.promise,
    async finish(how) {
      if (how === 'left')
        view.showOverview(() => [
          [span(`Detached; the run continues. "${again}" shows it again.`, 'dim')],
        ]);
      view.finish();
    },
  };
}
