import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bodyChunks, collectBody } from '../../../core/body.ts';
import { inBuffers, releaseBuffer } from '../../../core/buffers.ts';
import { watchingAbort } from '../../../core/context.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import { type ContentCheck, checkedChunks } from '../../../hashes/content-hasher.ts';
import type { CopyLayout, Learned } from '../delta/find-delta.ts';

/** How many buffers for parts of a stream are kept. */
const PARTS_KEPT = 8;

/** How a file is divided into parts. */
export interface PartLayout {
  /** The size of each but the last, in bytes; with a plan that of the parts that are sent, as a rule. */
  readonly partSize: number;
  readonly plan?: CopyLayout;
  /** What is to be noted of the content. */
  readonly learned?: Learned | undefined;
  /** When the file was first read for this upload, by `Clock.monotonic`; only with a plan. */
  readonly startMs?: number;
}

/** Reads a part into memory, by its number from 1. Return its body with `releaseBuffer` when it is sent. */
export type PartTask = (op: Op) => Promise<{ readonly number: number; readonly body: Buffer }>;

/**
 * The parts of a file, `partSize` bytes each but the last; one empty part of an empty file. Parts of a seekable source
 * can be read in parallel. Every byte passes `check`, in order. `isStored`: whether the server has a part already.
 */
export async function* sourceParts(
  source: WriteSource,
  partSize: number,
  check: ContentCheck,
  op: Op,
  isStored: (number: number) => boolean,
): AsyncGenerator<PartTask> {
  const { size, seekable } = source;
  if (!seekable || size === undefined || size <= partSize) {
    const chunks = checkedChunks(source, [undefined], check, op);
    let number = 0;
    for await (const body of inBuffers(chunks, Math.min(partSize, size ?? partSize), PARTS_KEPT)) {
      const part = { number: ++number, body };
      yield async () => part;
    }
    if (number === 0) yield async () => ({ number: 1, body: Buffer.alloc(0) });
    return;
  }
  const inOrder = new RangesInOrder(source, check);
  for (let number = 1, offset = 0; offset < size; number++, offset += partSize) {
    const range = inOrder.next({ offset, length: Math.min(partSize, size - offset) });
    const part = number;
    yield async (inner) => ({ number: part, body: await range.collect(isStored(part), inner) });
  }
}

/** A range of a seekable source, which is read once. */
export interface SourceRange {
  /** All of it. `isStored`: the server has it already. */
  collect(isStored: boolean, op: Op): Promise<Buffer>;
  /** Its bytes, chunk by chunk, of a range that the store copies itself. */
  pass(take: (chunk: Buffer) => void, op: Op): Promise<void>;
}

/** The ranges of a seekable source, which are read in parallel; a check sees their bytes in order. */
export class RangesInOrder {
  readonly #source: WriteSource;
  readonly #check: ContentCheck;
  /** Whether the check has seen all ranges so far. */
  #seen: Promise<void> = Promise.resolve();

  constructor(source: WriteSource, check: ContentCheck) {
    this.#source = source;
    this.#check = check;
  }

  /** The range behind those before. */
  next({ offset, length }: { readonly offset: number; readonly length: number }): SourceRange {
    const source = this.#source;
    const check = this.#check;
    const before = this.#seen;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#seen = promise;
    const requireAll = (bytes: number) => {
      if (bytes === length) return;
      const text = 'shorter than at the start of the copy';
      throw new SyncerError('source-changed', text, { path: source.path });
    };
    return {
      async collect(isStored, op) {
        try {
          const body = await collectBody(
            await source.open({ offset, length, isStored }, op),
            op.signal,
          );
          requireAll(body.length);
          await unlessAborted(before, op);
          check.update(body);
          return body;
        } finally {
          resolve();
        }
      },
      async pass(take, op) {
        try {
          const body = await source.open({ offset, length, isCopied: true }, op);
          await unlessAborted(before, op);
          let bytes = 0;
          for await (const chunk of bodyChunks(body, op.signal)) {
            check.update(chunk);
            take(chunk);
            bytes += chunk.length;
            releaseBuffer(chunk);
          }
          requireAll(bytes);
        } finally {
          resolve();
        }
      },
    };
  }
}

/** Waits for `work`; rejects as soon as the signal is aborted: what is waited for may never begin then. */
async function unlessAborted(work: Promise<void>, { signal }: Op): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  await watchingAbort(
    signal,
    () => aborted.reject(signal.reason),
    () => Promise.race([work, aborted.promise]),
  );
}

/** Does both at the same time. If one fails, the other is aborted; rejects with that error when both have ended. */
export async function bothOrNone<First, Second>(
  op: Op,
  first: (op: Op) => Promise<First>,
  second: (op: Op) => Promise<Second>,
): Promise<[First, Second]> {
  const stop = new AbortController();
  const inner: Op = { ...op, signal: AbortSignal.any([op.signal, stop.signal]) };
  const both = [first(inner), second(inner)] as const;
  for (const each of both) each.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(both);
  if (stop.signal.aborted) throw stop.signal.reason;
  return Promise.all(both);
}

/** Runs up to `atOnce` tasks in parallel. The first failure aborts the others; rejects with it when all have ended. */
export async function runParts<Task, Result>(
  tasks: AsyncIterator<Task>,
  atOnce: number,
  op: Op,
  run: (task: Task, op: Op) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const inner: Op = { signal: AbortSignal.any([op.signal, stop.signal]) };
  const results: Result[] = [];
  const failures: unknown[] = [];
  const work = async () => {
    try {
      for (;;) {
        const next = await tasks.next();
        if (next.done === true || failures.length > 0) return;
        results.push(await run(next.value, inner));
      }
    } catch (error) {
      failures.push(error);
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) {
    await tasks.return?.();
    throw failures[0];
  }
  return results;
}

/** The checksums with which a part is sent. */
export interface PartSums {
  readonly crc32: number;
  /** In hexadecimal; absent where bodies are not signed. */
  readonly sha256?: string | undefined;
}

/**
 * Computes checksums of a file's parts, from the first on, until `work` settles: while another thread hashes the whole
 * file, this one would be idle. Never rejects. A missing one is computed when its part is sent; the server refuses a
 * part that has changed since. Returns by part number.
 */
export async function partSumsDuring(
  work: Promise<unknown>,
  { size = 0, peek }: WriteSource,
  partSize: number,
  isSigned: boolean,
  op: Op,
): Promise<ReadonlyMap<number, PartSums>> {
  const found = new Map<number, PartSums>();
  const settled = new AbortController();
  const stop = () => settled.abort();
  work.then(stop, stop);
  const inner: Op = { signal: AbortSignal.any([op.signal, settled.signal]) };
  try {
    for (let offset = 0; peek !== undefined && offset < size; offset += partSize) {
      const length = Math.min(partSize, size - offset);
      const sha256 = isSigned ? createHash('sha256') : undefined;
      let crc = 0;
      for await (const chunk of bodyChunks(await peek({ offset, length }, inner), inner.signal)) {
        crc = crc32(chunk, crc);
        sha256?.update(chunk);
        releaseBuffer(chunk);
      }
      found.set(offset / partSize + 1, { crc32: crc, sha256: sha256?.digest('hex') });
    }
  } catch {
    // What could not be read here fails, or not, when it is sent.
  }
  return found;
}
