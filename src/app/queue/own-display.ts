import type { RunSpec } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';
import { type QueueRunDisplay, type QueueSnapshot, snapshotLine } from './watch-run.ts';

/** A display that ends with what all workers have done. */
interface OwnQueueDisplay extends QueueRunDisplay {
  /** The run has ended, and its last figures were shown. */
  finish(): void;
}

/**
 * How the command that began a run shows it: in the view of `--progress`, or in the log every `--stats`.
 *
 * @param ownId this process as a worker: its errors are in its log already
 */
export async function ownDisplay(
  { context: { clock, emit }, flags, overview }: Invocation,
  { id }: RunSpec,
  ownId: string,
): Promise<OwnQueueDisplay> {
  // Widths of characters take a while to load: a log needs none.
  const lines = overview && (await import('./queue-run-lines.ts')).queueRunLines;
  let seen: { readonly run: QueueSnapshot; readonly atMs: number } | undefined;
  let told = clock.monotonic();
  const tell = (run: QueueSnapshot) => emit(logText('notice', `Run ${id} ${snapshotLine(run)}`));
  return {
    show(run) {
      const now = clock.monotonic();
      if (seen === undefined) {
        overview?.((style) =>
          seen === undefined ? [] : (lines?.(seen.run, style, clock.monotonic() - seen.atMs) ?? []),
        );
      }
      seen = { run, atMs: now };
      const isDue = overview === undefined && flags.stats > 0 && now - told >= flags.stats;
      // Workers have not said yet what they did last.
      if (!isDue || run.state.ended !== undefined) return;
      told = now;
      tell(run);
    },
    finish() {
      if (overview === undefined && seen !== undefined) tell(seen.run);
    },
    fail({ worker, host, message, path }) {
      if (worker !== ownId) emit(logText('error', `${host}: ${message}`, path));
    },
  };
}
