import { setTimeout as sleep } from 'node:timers/promises';
import { goSignal } from '../command/go-signal.ts';
import type { ProcessStarter } from '../command/process-starter.ts';
import type { Activity } from '../http/connection.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { RunQueues } from '../run/run-queues.ts';

/** What signals bring about. */
interface SignalActions {
  readonly reload: () => void;
  /** Ends when what is going on is done. */
  readonly stop: () => Promise<void>;
  /** Ends at once. */
  readonly quit: (code: number) => void;
}

/** Reads the hooks again on HUP and USR1, stops on TERM and INT, at once on the second of them and on QUIT. */
export function listenForSignals(
  process: NodeJS.Process,
  log: HookLog,
  { reload, stop, quit }: SignalActions,
): void {
  let stopping = false;
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
    process.on(signal, () => {
      log.line(`caught ${signal.slice(3)} signal`);
      reload();
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.line(`caught ${goSignal(signal)} signal; exiting`);
      if (stopping) quit(0);
      else void stop();
      stopping = true;
    });
  }
  process.on('SIGUSR2', () => {});
  process.on('SIGQUIT', () => quit(2));
}

/** How often it is looked whether all is done, in milliseconds. */
const LOOK_MS = 5;
/** A run that was answered for is started even where nothing else is waited for; it takes so long at most. */
const START_MS = 5000;
/** Those who learn that their run was given up get so long to hear it. */
const LAST_WORDS_MS = 200;

/** What is waited for when the server stops. */
export interface StopWork {
  readonly activity: Activity;
  readonly queues: RunQueues;
  readonly starter: ProcessStarter;
  readonly log: HookLog;
}

/**
 * Resolves when all requests were answered and all runs that wait have begun, or after `timeoutMs`. Runs that still
 * wait then are given up, and the log says so. Commands go on when the server is gone.
 */
export async function finishRequests(work: StopWork, timeoutMs: number): Promise<void> {
  const { activity, queues, starter, log } = work;
  activity.stopping = true;
  await until(() => activity.busy + queues.waiting + starter.backlog === 0, timeoutMs);
  const left = queues.giveUpWaiting();
  if (left > 0) log.line(`discarded ${left} queued run(s)`);
  if (left > 0) await until(() => activity.busy === 0, Math.min(LAST_WORDS_MS, timeoutMs));
  await until(() => starter.backlog === 0, START_MS);
}

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition() && performance.now() < end) await sleep(LOOK_MS);
}
