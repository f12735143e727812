import fs from 'node:fs';
import { bodyChunks } from '../../core/body.ts';
import type { Pieces } from '../../core/content-pieces.ts';
import { watchingAbort } from '../../core/context.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { hashesOf, isOfNode, loadedHasher, needsLibrary } from '../../hashes/content-hasher.ts';
import type { Range } from '../../hashes/md5-lanes/md5-lanes.ts';
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
function hashInThread(disk: LocalDisk, file: FileEntry, name: HashName, op: Op): Promise<string> {
  return inThread(disk, file, op, (fd, length) => {
    const hashing =
      name === 'md5'
        ? disk.md5Batches.hash(fd, length)
        : disk.fileHashThreads.hashNow(fd, length, name);
    return { ...hashing, result: hashing.digest };
  });
}

/** See `Capabilities.pieces`. */
export function cutFile(disk: LocalDisk, file: FileEntry, op: Op): Promise<Pieces> {
  return inThread(disk, file, op, (fd, length) => {
    const cutting = disk.fileHashThreads.cut(fd, length);
    return { ...cutting, result: cutting.pieces };
  });
}

/** See `Capabilities.pieces`. */
export function md5sOfRanges(
  disk: LocalDisk,
  file: FileEntry,
  ranges: readonly Range[],
  op: Op,
): Promise<readonly string[]> {
  return inThread(disk, file, op, (fd) => {
    const inFile = ranges.map((range) => ({ ...range, fd }));
    const { giveUp, digests } = disk.fileHashThreads.hashRanges(inFile);
    const whole = digests.then((found) =>
      found.every((digest) => digest !== undefined) ? found : undefined,
    );
    return { giveUp, done: () => 0, result: whole };
  });
}

/** What a thread finds out about an open file. */
interface FileInThread<T> {
  giveUp(): void;
  /** How many bytes have been read so far. */
  done(): number;
  /** `undefined` if the file was shorter, or it was cancelled. */
  readonly result: Promise<T | undefined>;
}

/** What a thread finds out about a file. Rejects with `source-changed` if the file changes in between. */
async function inThread<T>(
  disk: LocalDisk,
  file: FileEntry,
  op: Op,
  begin: (fd: number, length: number) => FileInThread<T>,
): Promise<T> {
  const native = disk.pathOf(file.path);
  const fd = openForReading(native);
  try {
    const before = statOpen(fd, native);
    checkUnchanged(disk, file, before);
    const length = Number(before.size);
    const work = begin(fd, length);
    const { onHashed } = op;
    onHashed?.(0);
    const timer = onHashed && setInterval(() => onHashed(work.done()), 250);
    let result: T | undefined;
    try {
      result = await watchingAbort(op.signal, work.giveUp, () => work.result);
    } finally {
      clearInterval(timer);
      onHashed?.(file.size);
    }
    op.signal.throwIfAborted();
    if (result === undefined) throw endedEarly(native);
    verifyEnd(disk, file, fd, native, length);
    return result;
  } catch (thrown) {
    throw fsError(thrown, 'read', native);
  } finally {
    fs.closeSync(fd);
  }
}
