import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../core/remote.ts';

/**
 * Writes a file over what may be replaced (`ChangeDetails.replacesOnly`) and nothing else, by a condition of the
 * request if the server has them; without that, over anything. Rejects with `precondition-failed` if something else is
 * there.
 */
export async function writeOnlyOver(
  remote: Remote,
  source: WriteSource,
  op: Op,
): Promise<FileEntry> {
  const only = op.change?.replacesOnly;
  // A disk looks at the file when the new one is complete.
  if (only === undefined || remote.traits.onDisk) return remote.write(source, op);
  if (remote.can.writesIfUnchanged === true) {
    try {
      return await remote.write({ replaces: only.file, ...source }, op);
    } catch (thrown) {
      if (!source.seekable || !hasCode(thrown, 'unsupported')) throw thrown;
    }
  }
  await assertThere(remote, source.path, op);
  return remote.write(source, op);
}

/** Works if what may be replaced is still there; otherwise rejects with `precondition-failed`. A disk looks itself. */
export async function workOnlyOver<T>(
  remote: Remote,
  path: string,
  op: Op,
  work: () => Promise<T>,
): Promise<T> {
  await assertThere(remote, path, op);
  return work();
}

async function assertThere(remote: Remote, path: string, op: Op): Promise<void> {
  const only = op.change?.replacesOnly;
  if (only === undefined || remote.traits.onDisk) return;
  const found = await remote.stat(path, op);
  const now = found?.kind === 'file' ? found : undefined;
  if (only.file === 'nothing' ? now === undefined : now !== undefined && isSame(only.file, now))
    return;
  const text = `${path} changed during the transfer; left as it is`;
  throw new SyncerError('precondition-failed', text, { path });
}

/** Servers also change the ETag for other reasons than content. */
function isSame(then: FileEntry, now: FileEntry): boolean {
  if (then.contentTag !== undefined && now.contentTag !== undefined)
    return then.contentTag === now.contentTag;
  if (then.etag !== undefined && now.etag !== undefined) return then.etag === now.etag;
  return then.size === now.size && then.modTime === now.modTime;
}
