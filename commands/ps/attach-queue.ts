import { findQueueRun, queueRuns, withQueue } from '../../src/run/queue/find-queue-run.ts';
import { resultOf } from '../../src/run/queue/run-result.ts';
import { snapshotLine, watchRun } from '../../src/run/queue/watch-run.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { hasScreenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import { isPlainTerminal } from '../../src/system/plain-terminal.ts';
import { attachedText, plainLines } from './attach.ts';
import type { AttachedQueueDisplay } from './queue-view.ts';

/**
 * `attach --queue`: watches a run until it ends or the user leaves. Rejects with the error that the run ended with, and
 * with `vanished` if there is no such run.
 */
export async function attachToQueue(invocation: Invocation): Promise<void> {
  const { args, context, env } = invocation;
  await withQueue(invocation, async (queue) => {
    const spec = findQueueRun(args[0], await queueRuns(queue));
    const onTerminal = hasScreenTerminal() && !isPlainTerminal(env);
    const display = onTerminal
      ? (await import('./queue-view.ts')).openQueueView(invocation, spec, queue)
      : plainDisplay(invocation, spec.id);
    const watching = new AbortController();
    const watch = watchRun(queue, spec, { context, signal: watching.signal, display });
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
function plainDisplay(invocation: Invocation, id: string): AttachedQueueDisplay {
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
