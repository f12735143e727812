import fs from 'node:fs';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { endedEarly } from './file-stream.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { checkUnchanged } from './local-entry.ts';
import { openForReading, statOpen } from './read-file.ts';

/** Hashes a file in a thread. Rejects with `source-changed` where it is not what its entry tells. */
export async function hashInThread(
  disk: LocalDisk,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string> {
  const native = disk.pathOf(file.path);
  const fd = openForReading(native);
  try {
    const before = statOpen(fd, native);
    checkUnchanged(disk, file, before);
    const length = Number(before.size);
    const hashing =
      name === 'md5'
        ? disk.md5Batches.hash(fd, length)
        : disk.fileHashThreads.hashNow(fd, length, name);
    op.signal.addEventListener('abort', hashing.giveUp, { once: true });
    let digest: string | undefined;
    try {
      digest = await hashing.digest;
    } finally {
      op.signal.removeEventListener('abort', hashing.giveUp);
    }
    op.signal.throwIfAborted();
    if (digest === undefined) throw endedEarly(native);
    checkUnchanged(disk, file, statOpen(fd, native));
    return digest;
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    fs.closeSync(fd);
  }
}
