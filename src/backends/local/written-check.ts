import { hash } from 'node:crypto';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { watchingAbort } from '../../core/abort.ts';
import type { PartsMd5 } from '../../core/entry-details.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { Op, WriteSource } from '../../core/remote.ts';
import { contentCheck, wrongHash } from '../../hashes/content-hasher.ts';
import {
  type HashInThread,
  type HashThreads,
  hashesInThread,
  type RangesInThread,
} from './hash-threads.ts';

const read = promisify(fs.read);

/** How much is read at a time, in bytes. */
const CHUNK = 1024 * 1024;

/** Compares a file that is being written with the promised hashes. */
export interface WrittenCheck {
  /** The bytes before `end` are written. */
  written(end: number): void;
  /** All is written: returns the hashes. Rejects with `corrupted` if one differs. */
  finish(op: Op): Promise<Hashes>;
  /** The write failed, and the file will be closed: settles when it is no longer read. */
  giveUp(): Promise<void>;
}

/** Checks the promised hashes in one pass over the written file, in a thread that follows the writing if possible. */
export function checkWritten(
  source: WriteSource & { readonly size: number },
  fd: number,
  threads: HashThreads,
): WrittenCheck {
  const names = Object.keys(source.hashes ?? {}) as HashName[];
  if (names.length === 0) return { written() {}, finish: async () => ({}), giveUp: async () => {} };
  if (!names.every(hashesInThread)) return checkAtTheEnd(source, fd);
  const hashing = names.map((name): [HashName, HashInThread] => [
    name,
    threads.hash(fd, source.size, name),
  ]);
  const giveUp = async () => {
    for (const [, each] of hashing) each.giveUp();
    await Promise.allSettled(hashing.map(([, { digest }]) => digest));
  };
  return {
    written(end) {
      for (const [, each] of hashing) each.mayRead(end);
    },
    finish: (op) =>
      watchingAbort(op.signal, giveUp, async () => {
        const found: Partial<Record<HashName, string>> = {};
        for (const [name, { digest }] of hashing) {
          const hash = await digest;
          op.signal.throwIfAborted();
          const expected = source.hashes?.[name] ?? '';
          if (hash !== expected.toLowerCase()) throw wrongHash(source, name, hash ?? '');
          found[name] = hash;
        }
        return found;
      }),
    giveUp,
  };
}

function checkAtTheEnd(source: WriteSource, fd: number): WrittenCheck {
  return {
    written() {},
    async finish(op) {
      const check = contentCheck(source);
      const buffer = Buffer.allocUnsafeSlow(CHUNK);
      for (let position = 0; ; ) {
        op.signal.throwIfAborted();
        const { bytesRead } = await read(fd, buffer, 0, CHUNK, position);
        if (bytesRead === 0) return check.finish().hashes;
        check.update(buffer.subarray(0, bytesRead));
        position += bytesRead;
      }
    },
    giveUp: async () => {},
  };
}

/** Compares a file that is written in any order with the promised hashes. */
export interface AnyOrderCheck extends Pick<WrittenCheck, 'finish' | 'giveUp'> {
  /** `bytes` from `offset` on are written; each is reported once. */
  written(offset: number, bytes: number): void;
}

/**
 * Checks by the MD5s of parts, computed by threads as parts complete. If they do not match (the part length is a
 * guess), the whole file is hashed, and that decides.
 */
export function checkParts(
  source: WriteSource & { readonly size: number },
  { partLength, digest }: PartsMd5,
  fd: number,
  threads: HashThreads,
): AnyOrderCheck {
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
      whole = checkWritten(source, fd, threads);
      whole.written(size);
      return whole.finish(op);
    },
    giveUp,
  };
}
