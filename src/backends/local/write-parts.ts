import { hash } from 'node:crypto';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { bodyChunks } from '../../core/body.ts';
import { releaseBuffer } from '../../core/buffers.ts';
import { watchingAbort } from '../../core/context.ts';
import type { PartsMd5 } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { Op, WriteSource } from '../../core/remote.ts';
import { contentCheck, isOfNode, wrongHash } from '../../hashes/content-hasher.ts';
import { combineCrc32, crc32Text } from '../../hashes/crc32.ts';
import type { Range } from '../../hashes/md5-lanes/md5-lanes.ts';
import { writeAll } from '../../system/file-bytes.ts';
import type { HashThreads, RangesInThread } from './hash-threads.ts';
import type { LocalDisk } from './local-disk.ts';

/** Parts start at multiples of this many bytes. */
const ALIGNMENT = 1024 * 1024;

/** Cuts `size` bytes into at most `count` ranges of about the same length. */
export function partsOf(size: number, count: number): Range[] {
  const length = Math.ceil(size / count / ALIGNMENT) * ALIGNMENT;
  const parts: Range[] = [];
  for (let offset = 0; offset < size; offset += length) {
    parts.push({ offset, length: Math.min(length, size - offset) });
  }
  return parts;
}

const read = promisify(fs.read);

/** A source whose size is known. */
export type SizedSource = WriteSource & { readonly size: number };

/** The largest part of a file that is hashed in order while it is written, in bytes: it waits for earlier ones. */
const HASHED_PART = 32 * ALIGNMENT;

/** How far the parts of a file are written. */
export interface WriteProgress {
  /** How many bytes an earlier run has written of a part, from its start. */
  done(part: number): number;
  /** `bytes` more of a part are written. */
  written(part: number, bytes: number): void;
}

/** What a stream of content holds in memory on its way to the disk, in bytes. */
export const STREAM_MEMORY = 3 * 1024 * 1024;

/** The length of each part but the last, in bytes. */
export function partLength(source: SizedSource, streams: number): number {
  return partsOf(source.size, countOf(source, streams))[0]?.length ?? source.size;
}

function countOf({ size, hashes, partsMd5 }: SizedSource, streams: number): number {
  const { crc32: _quick, ...others } = hashes ?? {};
  const isHashedInOrder = partsMd5 === undefined && Object.keys(others).length > 0;
  // The fewer bytes are left when all streams near their end, the sooner they are verified.
  const fewest = hashes === undefined ? streams : streams * 2;
  return isHashedInOrder ? Math.max(fewest, Math.ceil(size / HASHED_PART)) : fewest;
}

/** Writes a large file in ranges, `streams` in parallel, and verifies it by what its hashes permit. */
export async function writeParts(
  source: SizedSource,
  streams: number,
  fd: number,
  { hashThreads, fileHashThreads }: Pick<LocalDisk, 'hashThreads' | 'fileHashThreads'>,
  op: Op,
  progress?: WriteProgress,
): Promise<Hashes> {
  const failing = new AbortController();
  const signal = AbortSignal.any([op.signal, failing.signal]);
  const { crc32: promised, ...others } = source.hashes ?? {};
  const parts = partsOf(source.size, countOf(source, streams));
  const sums = promised === undefined ? undefined : parts.map(() => 0);
  const left = { ...source, hashes: others };
  const check =
    source.partsMd5 === undefined
      ? checkWritten(left, parts, fd, hashThreads)
      : checkParts(left, source.partsMd5, fd, fileHashThreads);
  let next = 0;
  const stream = async () => {
    try {
      for (let at = next++; at < parts.length; at = next++) {
        const part = parts[at];
        if (part === undefined || signal.aborted) return;
        const done = progress?.done(at) ?? 0;
        const come = (chunk: Buffer) => {
          if (sums !== undefined) sums[at] = crc32(chunk, sums[at]);
        };
        const written = (offset: number, bytes: number) => {
          check.written(offset, bytes);
          progress?.written(at, bytes);
        };
        if (sums !== undefined) await readBack(fd, { ...part, length: done }, signal, come);
        if (done > 0) check.written(part.offset, done);
        await writePart(source, part, done, fd, signal, { come, written });
      }
    } catch (thrown) {
      failing.abort(thrown);
    }
  };
  // All must have ended before the file is closed.
  const fit = Math.floor((op.room ?? Number.POSITIVE_INFINITY) / STREAM_MEMORY);
  await Promise.all(Array.from({ length: Math.max(1, Math.min(streams, fit)) }, stream));
  try {
    op.signal.throwIfAborted();
    if (failing.signal.aborted) throw failing.signal.reason;
    const joined = sums?.reduce(
      (all, sum, at) => combineCrc32(all, sum, parts[at]?.length ?? 0),
      0,
    );
    const crc = joined === undefined ? {} : { crc32: crc32Text(joined) };
    if (crc.crc32 !== promised?.toLowerCase()) throw wrongHash(source, 'crc32', crc.crc32 ?? '');
    return { ...(await check.finish(op)), ...crc };
  } finally {
    await check.giveUp();
  }
}

/** Writes a part, of which `done` bytes are there already. */
async function writePart(
  source: SizedSource,
  part: Range,
  done: number,
  fd: number,
  signal: AbortSignal,
  { come, written }: Following,
): Promise<void> {
  let left = part.length - done;
  if (left === 0) return;
  const rest = { offset: part.offset + done, length: left };
  const range = done === 0 ? part : { ...rest, continues: true };
  const body = await source.open(range, { signal });
  const comeOf = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) throw wrongSize(source, 'more');
    come(chunk);
  };
  await writeBody(fd, bodyChunks(body, signal), rest.offset, { come: comeOf, written });
  if (left > 0) throw wrongSize(source, 'fewer');
}

/** Passes the bytes of a range that is written. */
export async function readBack(
  fd: number,
  { offset, length }: Range,
  signal: AbortSignal,
  come: (chunk: Buffer) => void,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(ALIGNMENT, length));
  for (let at = 0; at < length; ) {
    signal.throwIfAborted();
    const wanted = Math.min(buffer.length, length - at);
    const { bytesRead } = await read(fd, buffer, 0, wanted, offset + at);
    if (bytesRead === 0) throw new SyncerError('corrupted', 'a temporary file ended early');
    come(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function wrongSize(source: SizedSource, what: string): SyncerError {
  const message = `corrupted on transfer: got ${what} bytes than the expected ${source.size}`;
  return new SyncerError('corrupted', message, { path: source.path });
}

/** Compares a file that is being written with the promised hashes. */
interface WrittenCheck {
  /** `bytes` from `offset` on are written; each is reported once. */
  written(offset: number, bytes: number): void;
  /** All is written: returns the hashes. Rejects with `corrupted` if one differs. */
  finish(op: Op): Promise<Hashes>;
  /** The write failed, and the file will be closed: settles when it is no longer read. */
  giveUp(): Promise<void>;
}

/** Checks the promised hashes in one pass, in a thread that follows the writing if possible. Parts are equally long. */
function checkWritten(
  source: SizedSource,
  parts: readonly Range[],
  fd: number,
  threads: HashThreads,
): WrittenCheck {
  const { size, hashes = {} } = source;
  const names = Object.keys(hashes) as HashName[];
  if (!names.every(isOfNode)) {
    return {
      written() {},
      async finish(op) {
        const check = contentCheck(source);
        const whole = { offset: 0, length: size };
        await readBack(fd, whole, op.signal, (chunk) => check.update(chunk));
        const { bytesRead } = await read(fd, Buffer.alloc(1), 0, 1, size);
        if (bytesRead > 0) throw wrongSize(source, 'more');
        return check.finish().hashes;
      },
      giveUp: async () => {},
    };
  }
  const hashing = names.map((name) => ({ name, ...threads.hash(fd, size, name) }));
  const giveUp = async () => {
    for (const each of hashing) each.giveUp();
    await Promise.allSettled(hashing.map(({ digest }) => digest));
  };
  const done = parts.map(() => 0);
  const length = parts[0]?.length ?? 1;
  let first = 0;
  return {
    written(offset, bytes) {
      const at = Math.floor(offset / length);
      done[at] = offset - at * length + bytes;
      if (at !== first) return;
      while (first < parts.length && done[first] === parts[first]?.length) first++;
      const end = Math.min(first * length + (done[first] ?? 0), size);
      for (const { mayRead } of hashing) mayRead(end);
    },
    finish: (op) =>
      watchingAbort(op.signal, giveUp, async () => {
        const found: Partial<Record<HashName, string>> = {};
        for (const { name, digest } of hashing) {
          const hash = await digest;
          op.signal.throwIfAborted();
          if (hash !== hashes[name]?.toLowerCase()) throw wrongHash(source, name, hash ?? '');
          found[name] = hash ?? '';
        }
        return found;
      }),
    giveUp,
  };
}

/** Checks by the MD5s of parts, as these complete. If they differ, their length was a bad guess: the whole decides. */
function checkParts(
  source: SizedSource,
  { partLength, digest }: PartsMd5,
  fd: number,
  threads: HashThreads,
): WrittenCheck {
  const { size } = source;
  const lengthOf = (part: number) => Math.min(partLength, size - part * partLength);
  const missing = Array.from({ length: Math.ceil(size / partLength) }, (_, part) => lengthOf(part));
  const hashed: [parts: readonly number[], md5s: RangesInThread][] = [];
  let ready: number[] = [];
  let whole: WrittenCheck | undefined;
  const giveUp = async () => {
    for (const [, { giveUp }] of hashed) giveUp();
    await Promise.allSettled(hashed.map(([, { digests }]) => digests));
    await whole?.giveUp();
  };
  const hashReady = () => {
    if (ready.length === 0) return;
    const ranges = ready.map((part) => ({
      fd,
      offset: part * partLength,
      length: lengthOf(part),
    }));
    hashed.push([ready, threads.hashRanges(ranges, true)]);
    ready = [];
  };
  const isAsPromised = async () => {
    hashReady();
    const md5s: string[] = [];
    for (const [parts, { digests }] of hashed) {
      const found = await digests;
      parts.forEach((part, index) => {
        md5s[part] = found[index] ?? '';
      });
    }
    return hash('md5', Buffer.from(md5s.join(''), 'hex')) === digest;
  };
  return {
    written(offset, bytes) {
      for (let at = offset; at < offset + bytes; ) {
        const part = Math.floor(at / partLength);
        const here = Math.min(offset + bytes, (part + 1) * partLength) - at;
        const left = (missing[part] ?? 0) - here;
        missing[part] = left;
        if (left === 0) ready.push(part);
        if (ready.length === threads.lanes) hashReady();
        at += here;
      }
    },
    async finish(op: Op) {
      const isRight = await watchingAbort(op.signal, giveUp, isAsPromised);
      op.signal.throwIfAborted();
      if (isRight) return {};
      whole = checkWritten(source, [{ offset: 0, length: size }], fd, threads);
      whole.written(0, size);
      return whole.finish(op);
    },
    giveUp,
  };
}

const writev = promisify(fs.writev);

/** As `writeAll` for several buffers in a row, without copying them together. */
export async function writeGathered(fd: number, chunks: readonly Buffer[], position?: number) {
  const { bytesWritten } = await writev(fd, chunks, position);
  let before = 0;
  for (const chunk of chunks) {
    // The system may have accepted only a part.
    const from = Math.min(chunk.length, Math.max(0, bytesWritten - before));
    if (from < chunk.length) {
      const where = position === undefined ? undefined : position + before + from;
      await writeAll(fd, chunk.subarray(from), where);
    }
    before += chunk.length;
  }
}

/** How much of a stream is gathered before it is written, in bytes. */
const BATCH = 512 * 1024;

/** The chunks of a stream in groups of `BATCH` bytes or a little more, with their size; the last may have less. */
export async function* gather(
  body: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly chunks: readonly Buffer[]; readonly size: number }> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < BATCH) continue;
    yield { chunks, size };
    chunks = [];
    size = 0;
  }
  if (size > 0) yield { chunks, size };
}

/** Follows the writing of a stream. */
interface Following {
  /** The next chunk has come. What this throws ends the writing. */
  readonly come: (chunk: Buffer) => void;
  /** `bytes` more are written, from `offset` of the file on. */
  readonly written?: ((offset: number, bytes: number) => void) | undefined;
}

/** Writes a stream from `position` on: one group is written while the next one arrives. Nothing is under way at the end. */
export async function writeBody(
  fd: number,
  body: AsyncIterable<Buffer>,
  position: number,
  following: Following,
): Promise<void> {
  let next = position;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { chunks, size } of gather(body)) {
      for (const chunk of chunks) following.come(chunk);
      await writing;
      const offset = next;
      next += size;
      writing = writeGathered(fd, chunks, offset).then(() => {
        for (const chunk of chunks) releaseBuffer(chunk);
        following.written?.(offset, size);
      });
      writing.catch(() => undefined);
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
}
