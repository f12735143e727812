import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { Op, WriteSource } from '../../core/remote.ts';
import { contentCheck, wrongHash } from '../../hashes/content-check.ts';
import { type HashInThread, type HashThreads, hashesInThread } from './hash-threads.ts';

const read = promisify(fs.read);

/** How much is read at once, in bytes. */
const CHUNK = 1024 * 1024;

/** Compares a file that is being written with the hashes that were promised. */
export interface WrittenCheck {
  /** The bytes before `end` are written. */
  written(end: number): void;
  /** All is written: the hashes. Rejects with `corrupted` where one is not as promised. */
  finish(op: Op): Promise<Hashes>;
  /** It failed, and the file is to be closed: settles when nobody reads it any more. */
  giveUp(): Promise<void>;
}

/**
 * A check of the promised hashes in one pass over what was written, which follows the writing in a thread of its own
 * where that is possible.
 */
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
    async finish(op) {
      const onAbort = () => void giveUp();
      op.signal.addEventListener('abort', onAbort, { once: true });
      try {
        const found: Partial<Record<HashName, string>> = {};
        for (const [name, { digest }] of hashing) {
          const hash = await digest;
          op.signal.throwIfAborted();
          const expected = source.hashes?.[name] ?? '';
          if (hash !== expected.toLowerCase()) throw wrongHash(source, name, hash ?? '');
          found[name] = hash;
        }
        return found;
      } finally {
        op.signal.removeEventListener('abort', onAbort);
      }
    },
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
