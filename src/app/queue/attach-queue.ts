import { nameToBytes } from '../../core/name-bytes.ts';
import type { QueueConnection } from '../../queue/connect.ts';
import { stopQueueRun } from '../../queue/queue-run.ts';
import type { Invocation } from '../command.ts';
import { formatTextRecord } from '../log/format-record.ts';
import { logPrefix, readLogFormat } from '../log/log-layout.ts';
import { hasScreenTerminal } from '../output/screen-terminal.ts';
import { findQueueRun, queueRuns, withQueue } from './find-queue-run.ts';
import { resultOf } from './run-result.ts';
import { type QueueRunDisplay, snapshotLine, watchRun } from './watch-run.ts';

/** A display that a user can leave. */
export interface AttachedQueueDisplay extends QueueRunDisplay {
  /** The user leaves it. */
  readonly left: Promise<void>;
  /** @param hasEnded the run is over; `false`: it goes on, or that is not known */
  finish(hasEnded: boolean): Promise<void>;
}

/**
 * `attach --queue`: watches a run until it ends or the user leaves. Rejects with the error that the run ended with, and
 * with `vanished` if there is no such run.
 */
export async function attachToQueue(invocation: Invocation): Promise<void> {
  const { args, context, env } = invocation;
  await withQueue(invocation, async (queue) => {
    const spec = findQueueRun(args[0], await queueRuns(queue));
    const onTerminal = hasScreenTerminal() && !env['SYNCER_PLAIN'] && env['TERM'] !== 'dumb';
    const display = onTerminal
      ? (await import('./queue-view.ts')).openQueueView(invocation, spec, queue.address.shown, () =>
          stop(queue, spec.id),
        )
      : plainDisplay(invocation, spec.id);
    const watching = new AbortController();
    const watch = watchRun(queue, spec, { context, signal: watching.signal, display });
    let hasEnded = false;
    try {
      const ending = await Promise.race([watch.ending, display.left]);
      if (ending === undefined) return;
      const result = await watch.end();
      hasEnded = true;
      await display.finish(true);
      resultOf(ending, spec, result);
    } finally {
      watching.abort();
      if (!hasEnded) await display.finish(false);
    }
  });
}

async function stop({ redis }: Pick<QueueConnection, 'redis'>, id: string): Promise<void> {
  await stopQueueRun(redis, id, 'soft');
}

/** Lines for pipes: errors as in the log, and the run in one line every `--stats`. */
function plainDisplay({ out, flags, context }: Invocation, id: string): AttachedQueueDisplay {
  const format = readLogFormat(flags['log-format']);
  const prefix = logPrefix({ format, systemd: false, pid: process.pid });
  let written: Promise<unknown> = Promise.resolve();
  const write = (text: string) => {
    written = written.then(() => out.write(nameToBytes(text)));
  };
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
      const record = {
        ...{ level: 'error' as const, timeMs: context.clock.now() },
        ...{ message: `${host}: ${message}`, ...(path === undefined ? {} : { path }) },
      };
      write(formatTextRecord(record, [], prefix));
    },
    left: new Promise(() => {}),
    async finish(hasEnded) {
      if (hasEnded) tell();
      await written;
    },
  };
}
