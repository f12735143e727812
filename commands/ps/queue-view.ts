import { nameToBytes } from '../../src/core/name-bytes.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { ProgressView } from '../../src/run/progress/progress-view.ts';
import type { QueueConnection } from '../../src/run/queue/connect.ts';
import { stopQueueRun } from '../../src/run/queue/queue-run.ts';
import { queueRunLines } from '../../src/run/queue/queue-run-lines.ts';
import {
  errorOfWorker,
  type QueueRunDisplay,
  type QueueSnapshot,
} from '../../src/run/queue/watch-run.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { themedLook } from '../../src/shell/interactive/screen-terminal.ts';
import { usesColour } from '../../src/shell/log/uses-colour.ts';
import { jobControl } from '../../src/shell/process/job-control.ts';
import { addError, startProgress } from '../../src/shell/progress/progress-state.ts';
import { span } from '../../src/terminal/span.ts';

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
export function openQueueView(
  { env, flags, context: { clock } }: Invocation,
  { id, verb, source, dest }: QueueSnapshot['spec'],
  { redis, address }: QueueConnection,
): AttachedQueueDisplay {
  const { stdin, stdout } = process;
  const left = Promise.withResolvers<void>();
  const state = startProgress(clock.monotonic());
  let seen: { readonly run: QueueSnapshot; readonly atMs: number } | undefined;
  let isStopping = false;
  const view = new ProgressView({
    terminal: {
      write: (text) => void stdout.write(nameToBytes(text)),
      size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    },
    state,
    clock,
    look: themedLook({ env, flags }, usesColour(flags.color, env, true)),
    unit: flags['stats-unit'],
    job: jobControl(process),
    input: stdin,
    hasKeys: true,
    control: {
      isPaused: false,
      get stopping() {
        return { aborted: isStopping || seen?.run.state.stop !== undefined };
      },
      places: { width: 0, set() {} },
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
