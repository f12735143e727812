import fs from 'node:fs';
import { watchingAbort } from '../../core/abort.ts';
import { bodyChunks } from '../../core/body.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { hashesOf, isOfNode, loadedHasher, needsLibrary } from '../../hashes/content-hasher.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { checkUnchanged, endedEarly } from './local-entry.ts';
import {
  isSmall,
  openForReading,
  READ_CALLS,
  READ_WHOLE,
  readFile,
  readSmall,
  statOpen,
  verifyEnd,
} from './read-file.ts';

/** See `Capabilities.hash`: by reading the file, in a thread if there is much to hash. No promise for a small file. */
export function hashFile(
  disk: LocalDisk,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> | string | undefined {
  if (!disk.settings.hashes.includes(name)) return undefined;
  if (isOfNode(name) && !disk.isLink(file.path)) {
    if (file.size > READ_WHOLE && disk.fileHashThreads.pay(file.size))
      return hashInThread(disk, file, name, op);
    const content = readHere(disk, file);
    if (content !== undefined) {
      op.onHashed?.(file.size);
      return hashesOf([name], content)[name];
    }
  }
  return hashesOfFile(disk, file, [name], op).then((hashes) => hashes[name]);
}

/** The content of a small file until the next call; `undefined` if it has to be read in another way. */
function readHere(disk: LocalDisk, file: FileEntry): Buffer | undefined {
  if (!isSmall(disk, file) || disk.pace.isSlow) return undefined;
  return disk.pace.here(READ_CALLS, () =>
    readSmall(disk, file, disk.pathOf(file.path), disk.smallBuffer),
  );
}

/** See `Capabilities.hashes`. */
export async function hashesOfFile(
  disk: LocalDisk,
  file: FileEntry,
  names: readonly HashName[],
  op: Op,
): Promise<Hashes> {
  const wanted = names.filter((name) => disk.settings.hashes.includes(name));
  const body = await readFile(disk, file, undefined);
  if (Buffer.isBuffer(body) && !wanted.some(needsLibrary)) {
    op.onHashed?.(body.length);
    return hashesOf(wanted, body);
  }
  const hasher = await loadedHasher(wanted);
  let read = 0;
  for await (const chunk of bodyChunks(body, op.signal)) {
    hasher.update(chunk);
    read += chunk.length;
    op.onHashed?.(read);
  }
  return hasher.digest();
}

/** How often the progress of a hash is reported, in milliseconds. */
const REPORT_MS = 250;

/** The hash of a file, computed in a thread. Rejects with `source-changed` if the file changes in between. */
async function hashInThread(
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
