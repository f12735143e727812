import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Entry, Op, Remote } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { goJson, sortedByKey } from './go-json.ts';

/** The path that a metadata file is about: without the extension. `undefined`: the name is of no metadata file. */
export function describedPath(path: string, extension: string): string | undefined {
  const isOne = path.endsWith(extension) && leafName(path).length > extension.length;
  return isOne ? path.slice(0, -extension.length) : undefined;
}

/**
 * The metadata of an entry as rclone 1.75.2 shows it with `--vfs-metadata-extension`: JSON with sorted names, `{}` if
 * there is none, `{"error": …}` if it cannot be read. Rejects only when the call is aborted.
 */
export async function metadataText(
  remote: Remote,
  entry: Entry | undefined,
  op: Op,
): Promise<Buffer> {
  try {
    let metadata = entry?.metadata;
    if (metadata === undefined) {
      if (entry?.kind === 'dir') metadata = await remote.can.readDirMetadata?.(entry, op);
      else if (entry) metadata = (await remote.can.details?.read(entry, op))?.metadata;
    }
    return Buffer.from(goJson(sortedByKey(metadata ?? {}), '\t'));
  } catch (thrown) {
    op.signal.throwIfAborted();
    return Buffer.from(goJson({ error: toSyncerError(thrown).message }));
  }
}

/** The error of a change of a metadata file: `access-denied`. */
export function unchangeable(path: string): SyncerError {
  const text = `${path}: shows metadata (--vfs-metadata-extension) and cannot be changed`;
  return new SyncerError('access-denied', text, { path });
}
