import { SyncerError } from '../../core/errors.ts';
import { thisIgnoresHangUp } from './hang-up.ts';

/** What of the process signals need. */
interface Signalled {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Listens for Ctrl-C and SIGTERM. The first one aborts the signal that is returned, so that what runs can clean
 * up; the second one ends the process at once. A hangup aborts as well, but where the program was started by nohup, and
 * does not count as one of them: when a terminal is closed, system, shell and home screen all tell so.
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
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'interrupted by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'terminated by a signal')));
  // A listener that does nothing, too: without any, Node would end.
  const isIgnored = ignoresHangUp();
  process.on('SIGHUP', () => {
    if (!isIgnored) controller.abort(new SyncerError('terminated', 'the terminal was closed'));
  });
  return controller.signal;
}
