import { hash } from 'node:crypto';
import type { Op, PartsMd5, WriteSource } from '../../core/remote.ts';
import type { HashThreads, RangesInThread } from './hash-threads.ts';
import { checkWritten, type WrittenCheck } from './verify-written.ts';

/** Compares a file that is written in any order with the hashes that were promised. */
export interface AnyOrderCheck extends Pick<WrittenCheck, 'finish' | 'giveUp'> {
  /** So many bytes from `offset` on are written; each is told once. */
  written(offset: number, bytes: number): void;
}

/**
 * A check by the MD5s of parts, made by threads, several at once, when the parts are there. Where they do not fit (the
 * length of the parts was guessed, and not every store makes ETags this way) the whole is hashed after all, and that
 * decides.
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
      const onAbort = () => void giveUp();
      op.signal.addEventListener('abort', onAbort, { once: true });
      try {
        const isRight = await isAsPromised();
        op.signal.throwIfAborted();
        if (isRight) return {};
      } finally {
        op.signal.removeEventListener('abort', onAbort);
      }
      whole = checkWritten(source, fd, threads);
      whole.written(size);
      return whole.finish(op);
    },
    giveUp,
  };
}
