import { SyncerError } from './errors.ts';
import { shownRemote } from './remote-path.ts';

/** Whether a failure may pass, and is not of the content: what was sent can be used later. */
export function isPassing(thrown: unknown): boolean {
  if (!(thrown instanceof SyncerError)) return false;
  return thrown.retry && !['corrupted', 'source-changed', 'metadata'].includes(thrown.code);
}

/** A path of a remote as the user can type it: options by flags add their hash to the remote's name. */
export function typedPath(remote: string, path: string): string {
  return `${shownRemote(remote)}:${path}`;
}
