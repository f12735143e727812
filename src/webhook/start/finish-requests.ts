import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadLibc } from '../../system/libc.ts';
import { goSignal, type ProcessStarter } from '../command/run-process.ts';
import type { Activity } from '../http/connection.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { RunQueues } from '../run/run-queues.ts';

/** Reopens the log and reloads the hooks on HUP and USR1, stops on TERM and INT, immediately on the second of them and on QUIT. */
export function listenForSignals(
  process: NodeJS.Process,
  log: HookLog,
  actions: { reopenLog(): void; reload(): void; stop(): Promise<void>; quit(code: number): void },
): void {
  const { reopenLog, reload, stop, quit } = actions;
  let stopping = false;
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
    process.on(signal, () => {
      reopenLog();
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

const USR1 = constants.signals.SIGUSR1;
/** `SIG_UNBLOCK` of Linux, and the length of a set of signals in its C libraries. */
const UNBLOCK = 1;
const SIGNALS_BYTES = 128;

/**
 * Lets SIGUSR1 through: with `--disable-sigusr1` Node blocks it in every thread from its first instruction. One that
 * came before arrives now. Returns what to do instead if that fails.
 */
export async function admitUsr1(
  load = loadLibc,
  status = () => readFileSync('/proc/self/status', 'latin1'),
): Promise<string | undefined> {
  try {
    const blocked = /^SigBlk:\s*([0-9a-f]+)$/m.exec(status())?.[1] ?? '0';
    if ((BigInt(`0x${blocked}`) & (1n << BigInt(USR1 - 1))) === 0n) return undefined;
    const { func } = await load();
    const set = Buffer.alloc(SIGNALS_BYTES);
    set[(USR1 - 1) >> 3] = 1 << ((USR1 - 1) & 7);
    func('pthread_sigmask', 'int', ['int', 'void *', 'void *'])(UNBLOCK, set, null);
    return undefined;
  } catch (thrown) {
    return `USR1 does nothing here, send HUP to reload: ${(thrown as Error).message}`;
  }
}

/** Milliseconds between checks. */
const LOOK_MS = 5;
/** Milliseconds for the starts of runs that were answered already, also with a timeout of 0. */
const START_MS = 5000;
/** Milliseconds to answer the callers of discarded runs. */
const LAST_WORDS_MS = 200;

/** What the end of the server waits for. */
export interface StopWork {
  readonly activity: Activity;
  readonly queues: RunQueues;
  readonly starter: ProcessStarter;
  /** Takes what must not be missed. */
  readonly warn: (line: string) => void;
}

/**
 * Resolves when all requests were answered and all queued runs started, or after `timeoutMs`; runs still queued are then
 * discarded. Commands continue without the server.
 */
export async function finishRequests(work: StopWork, timeoutMs: number): Promise<void> {
  const { activity, queues, starter } = work;
  activity.stopping = true;
  await until(() => activity.busy + queues.waiting + starter.backlog === 0, timeoutMs);
  const left = discardQueued(work);
  if (left > 0) await until(() => activity.busy === 0, Math.min(LAST_WORDS_MS, timeoutMs));
  await until(() => starter.backlog === 0, START_MS);
}

/** Discards the runs that are queued, whose callers may have been answered already. Gives their number. */
export function discardQueued({ queues, warn }: Pick<StopWork, 'queues' | 'warn'>): number {
  const left = queues.giveUpWaiting();
  if (left > 0) warn(`discarded ${left} queued run(s)`);
  return left;
}

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition() && performance.now() < end) await sleep(LOOK_MS);
}
