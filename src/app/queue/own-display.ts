import type { RunSpec } from '../../queue/run-spec.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';
import { type QueueRunDisplay, type QueueSnapshot, snapshotLine } from './watch-run.ts';

/**
 * How the command that began a run shows it: in the view of `--progress`, or in the log every `--stats`.
 *
 * @param ownId this process as a worker: its errors are in its log already
 */
export async function ownDisplay(
  { context: { clock, emit }, flags, overview }: Invocation,
  { id }: RunSpec,
  ownId: string,
): Promise<QueueRunDisplay> {
  // Widths of characters take a while to load: a log needs none.
  const lines = overview && (await import('./queue-run-lines.ts')).queueRunLines;
  let seen: { readonly run: QueueSnapshot; readonly atMs: number } | undefined;
  let told = clock.monotonic();
  return {
    show(run) {
      const now = clock.monotonic();
      if (seen === undefined) {
        overview?.((style) =>
          seen === undefined ? [] : (lines?.(seen.run, style, clock.monotonic() - seen.atMs) ?? []),
        );
      }
      seen = { run, atMs: now };
      if (overview !== undefined || flags.stats <= 0 || now - told < flags.stats) return;
      told = now;
      emit(logText('notice', `Run ${id} ${snapshotLine(run)}`));
    },
    fail({ worker, host, message, path }) {
      if (worker !== ownId) emit(logText('error', `${host}: ${message}`, path));
    },
  };
}
