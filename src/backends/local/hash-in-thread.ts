import fs from 'node:fs';
import { watchingAbort } from '../../core/abort.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { checkUnchanged, endedEarly } from './local-entry.ts';
import { openForReading, statOpen, verifyEnd } from './read-file.ts';

/** How often the progress of a hash is reported, in milliseconds. */
const REPORT_MS = 250;

/** The hash of a file, computed in a thread. Rejects with `source-changed` if the file changes in between. */
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
    const digest = await reporting(op, file.size, hashing.done, () =>
      watchingAbort(op.signal, hashing.giveUp, () => hashing.digest),
    );
    op.signal.throwIfAborted();
    if (digest === undefined) throw endedEarly(native);
    verifyEnd(disk, file, fd, native, length);
    return digest;
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reports to `op.onHashed` how far a hash of `size` bytes is, until that has settled. */
async function reporting<T>(
  { onHashed }: Op,
  size: number,
  done: () => number,
  hash: () => Promise<T>,
): Promise<T> {
  if (onHashed === undefined) return hash();
  onHashed(0);
  const timer = setInterval(() => onHashed(done()), REPORT_MS);
  try {
    return await hash();
  } finally {
    clearInterval(timer);
    onHashed(size);
  }
}
