import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Invocation } from '../command.ts';

/** Opens the first argument as a directory. Rejects if it is a file. */
export async function openDirectory(invocation: Invocation): Promise<Remote> {
  const [spec = ''] = invocation.args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) return remote;
  throw fileForDirectory(spec);
}

/** The error for a file given instead of a directory. */
export function fileForDirectory(spec: string): SyncerError {
  return new SyncerError('not-a-directory', `${spec} is a file not a directory`, { path: spec });
}
