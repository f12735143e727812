import { createHash } from 'node:crypto';
import type { Op, PartsMd5, WriteSource } from '../../core/remote.ts';
import type { HashInThread, HashThreads } from './hash-threads.ts';
import { checkWritten, type WrittenCheck } from './verify-written.ts';

/** Compares a file that is written in any order with the hashes that were promised. */
export interface AnyOrderCheck extends Pick<WrittenCheck, 'finish' | 'giveUp'> {
  /** So many bytes from `offset` on are written; each is told once. */
  written(offset: number, bytes: number): void;
}

/**
 * A check by the MD5s of parts, each made by a thread when the part is there, as many at once as there are processors.
 * Where they do not fit (the length of the parts was guessed, and not every store makes ETags this way) the whole is
 * hashed after all, and that decides.
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
  const hashing = new Map<number, HashInThread>();
  let whole: WrittenCheck | undefined;
  const giveUp = async () => {
    const begun = [...hashing.values()];
    for (const each of begun) each.giveUp();
    await Promise.allSettled(begun.map((each) => each.digest));
    await whole?.giveUp();
  };
  const begin = (part: number) => {
    const job = threads.hash(fd, lengthOf(part), 'md5', part * partLength);
    job.mayRead(lengthOf(part));
    hashing.set(part, job);
  };
  const isAsPromised = async () => {
    const all = createHash('md5');
    for (const part of missing.keys()) all.update((await hashing.get(part)?.digest) ?? '', 'hex');
    return all.digest('hex') === digest;
  };
  return {
    written(offset, bytes) {
      for (let at = offset; at < offset + bytes; ) {
        const part = Math.floor(at / partLength);
        const here = Math.min(offset + bytes, (part + 1) * partLength) - at;
        const left = (missing[part] ?? 0) - here;
        missing[part] = left;
        if (left === 0) begin(part);
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
