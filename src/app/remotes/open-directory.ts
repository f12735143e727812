import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Invocation } from '../command.ts';

/** Opens the first argument of a command that works on a directory. Rejects where it is a file. */
export async function openDirectory(invocation: Invocation): Promise<Remote> {
  const [spec = ''] = invocation.args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) return remote;
  throw fileForDirectory(spec);
}

/** The error of a command that wants a directory and was given a file. */
export function fileForDirectory(spec: string): SyncerError {
  return new SyncerError('not-a-directory', `${spec} is a file not a directory`, { path: spec });
}
