import { SyncerError } from '../../core/errors.ts';
import { thisIgnoresHangUp } from './hang-up.ts';

/** What of the process signals need. */
interface Signalled {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Listens for Ctrl-C and SIGTERM. The first one aborts the signal that is returned, so that what runs can clean
 * up; the second one ends the process at once. A hangup is like SIGTERM, but where the program was started by nohup.
 */
export function listenForSignals(
  process: Signalled,
  ignoresHangUp: () => boolean = thisIgnoresHangUp,
): AbortSignal {
  const controller = new AbortController();
  const end = (error: SyncerError) => {
    if (controller.signal.aborted) process.exit(error.exit);
    else controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'interrupted by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'terminated by a signal')));
  // A listener that does nothing, too: without any, Node would end.
  const isIgnored = ignoresHangUp();
  process.on('SIGHUP', () => {
    if (!isIgnored) end(new SyncerError('terminated', 'the terminal was closed'));
  });
  return controller.signal;
}
