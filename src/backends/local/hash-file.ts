import fs from 'node:fs';
import { bodyChunks } from '../../core/body.ts';
import { watchingAbort } from '../../core/context.ts';
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
    if (isSmall(disk, file) && !disk.pace.isSlow) {
      const content = disk.pace.here(READ_CALLS, () =>
        readSmall(disk, file, disk.pathOf(file.path), disk.smallBuffer()),
      );
      if (content !== undefined) {
        op.onHashed?.(file.size);
        return hashesOf([name], content)[name];
      }
    }
  }
  return hashesOfFile(disk, file, [name], op).then((hashes) => hashes[name]);
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

/** The hash of a file, computed in a thread. Rejects with `source-changed` if the file changes in between. */
async function hashInThread(disk: LocalDisk, file: FileEntry, name: HashName, op: Op) {
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
    const { onHashed } = op;
    onHashed?.(0);
    const timer = onHashed && setInterval(() => onHashed(hashing.done()), 250);
    let digest: string | undefined;
    try {
      digest = await watchingAbort(op.signal, hashing.giveUp, () => hashing.digest);
    } finally {
      clearInterval(timer);
      onHashed?.(file.size);
    }
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
