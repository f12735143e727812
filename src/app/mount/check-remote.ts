import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { overlap } from '../../sync/place/overlap.ts';
import type { Invocation } from '../command.ts';

/** Opens the remote and looks whether it can be listed. Rejects with why not, or where it lies below its own mount. */
export async function checkRemote(
  { openDir, openPath, context }: Invocation,
  source: string,
  mountPoint: string,
): Promise<Remote> {
  const { remote, file } = await openPath(source);
  if (file !== undefined) {
    throw new SyncerError(
      'not-a-directory',
      `${source} is a file: only directories can be mounted`,
    );
  }
  const { onDisk, inProcess } = remote.traits;
  const op = { signal: context.signal };
  if (onDisk && (await overlap(remote, await openDir(mountPoint), op)).how !== 'apart') {
    throw new SyncerError(
      'usage',
      `${source} and the mount point ${mountPoint} lie one in the other: the mount would wait for itself`,
    );
  }
  try {
    if (inProcess === true) await remote.makeDir('', op);
    await remote.listPage('', undefined, op);
  } catch (thrown) {
    const error = toSyncerError(thrown);
    throw new SyncerError(error.code, `cannot mount ${source}: ${error.message}`, {
      cause: error,
      ...(error.advice === undefined ? {} : { advice: error.advice }),
    });
  }
  return remote;
}
