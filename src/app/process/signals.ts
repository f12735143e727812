import { SyncerError } from '../../core/errors.ts';

/** What of the process signals need. */
interface Signalled {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Listens for Ctrl-C and SIGTERM. The first one aborts the signal that is returned, so that what runs can clean
 * up; the second one ends the process at once.
 */
export function listenForSignals(process: Signalled): AbortSignal {
  const controller = new AbortController();
  const end = (error: SyncerError) => {
    if (controller.signal.aborted) process.exit(error.exit);
    else controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'interrupted by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'terminated by a signal')));
  process.on('SIGHUP', () => end(new SyncerError('terminated', 'the terminal was closed')));
  return controller.signal;
}
