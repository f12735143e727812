import { SyncerError } from '../../src/core/errors.ts';

/**
 * Aborts at the first signal that asks the installer to end. It then undoes what it did, and further signals must not
 * keep it from that: they are passed over.
 */
export function listenForSignals(process: Pick<NodeJS.Process, 'on'>): AbortSignal {
  const controller = new AbortController();
  const end = (error: SyncerError) => {
    if (!controller.signal.aborted) controller.abort(error);
  };
  process.on('SIGINT', () => end(new SyncerError('interrupted', 'interrupted by Ctrl-C')));
  process.on('SIGTERM', () => end(new SyncerError('terminated', 'terminated by a signal')));
  process.on('SIGHUP', () => end(new SyncerError('terminated', 'the terminal was closed')));
  process.on('SIGQUIT', () => end(new SyncerError('terminated', 'terminated by a signal')));
  return controller.signal;
}
