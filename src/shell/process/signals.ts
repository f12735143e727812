import { SyncerError } from '../../core/errors.ts';
import { thisIgnoresHangUp } from './hang-up.ts';

/** The part of the process that signals need. */
interface Signalled {
  readonly pid: number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Handles Ctrl-C and SIGTERM. The first aborts the returned signal, so that the run can clean up; the second ends the
 * process immediately. A hangup aborts too, unless the program was started by nohup, and is not counted: system, shell
 * and home screen may all send one when a terminal is closed. After a stop the size of the terminal is read again.
 */
export function listenForSignals(
  process: Signalled,
  ignoresHangUp: () => boolean = thisIgnoresHangUp,
): AbortSignal {
  const controller = new AbortController();
  let isAsked = false;
  const end = (error: SyncerError) => {
    if (isAsked) process.exit(error.exit);
    isAsked = true;
    controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'stopped by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'stopped by SIGTERM')));
  // Even a listener without effect keeps Node from ending.
  const isIgnored = ignoresHangUp();
  process.on('SIGHUP', () => {
    if (!isIgnored)
      controller.abort(new SyncerError('terminated', 'stopped: the terminal was closed'));
  });
  // Only the foreground job learns that its terminal has changed.
  process.on('SIGCONT', () => process.kill(process.pid, 'SIGWINCH'));
  return controller.signal;
}

/**
 * Ctrl-C reaches every program of the terminal: it is meant for the one that was started, not for the screen.
 * @returns makes it count here again
 */
export function holdInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT');
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
