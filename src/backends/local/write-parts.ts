import { bodyChunks } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { Op, WriteSource } from '../../core/remote.ts';
import { giveBack } from '../../core/used-again.ts';
import type { HashThreads } from './hash-threads.ts';
import { checkWritten } from './verify-written.ts';
import { gather, writeGathered } from './write-all.ts';

/** Parts begin at multiples of this many bytes. */
const ALIGNMENT = 1024 * 1024;

/** A source whose size is known. */
type SizedSource = WriteSource & { readonly size: number };

/** Parts for each stream: the fewer bytes are left when all streams near their end, the sooner they are verified. */
const PARTS_A_STREAM = 2;

/**
 * Writes a large file in ranges, `streams` at once and in order, each from a body of its own, and verifies the whole
 * by the promised hashes in one pass that follows the writing.
 */
export async function writeParts(
  source: SizedSource,
  streams: number,
  fd: number,
  threads: HashThreads,
  op: Op,
): Promise<Hashes> {
  const failing = new AbortController();
  const signal = AbortSignal.any([op.signal, failing.signal]);
  const parts = partsOf(source.size, source.hashes ? streams * PARTS_A_STREAM : streams);
  const check = checkWritten(source, fd, threads);
  const progress = new PartsProgress(parts, (end) => check.written(end));
  let next = 0;
  const stream = async () => {
    try {
      for (let at = next++; at < parts.length; at = next++) {
        const part = parts[at];
        if (part === undefined || signal.aborted) return;
        await writePart(source, part, fd, signal, (bytes) => progress.add(at, bytes));
      }
    } catch (thrown) {
      failing.abort(thrown);
    }
  };
  // All must have ended before the file is closed.
  await Promise.all(Array.from({ length: streams }, stream));
  try {
    op.signal.throwIfAborted();
    if (failing.signal.aborted) throw failing.signal.reason;
    return await check.finish(op);
  } finally {
    await check.giveUp();
  }
}

/** How far a file is written without a gap. */
class PartsProgress {
  readonly #parts: readonly Part[];
  readonly #written: number[];
  readonly #onProgress: (end: number) => void;
  #first = 0;

  constructor(parts: readonly Part[], onProgress: (end: number) => void) {
    this.#parts = parts;
    this.#written = parts.map(() => 0);
    this.#onProgress = onProgress;
  }

  /** Bytes were added to a part. */
  add(at: number, bytes: number): void {
    this.#written[at] = (this.#written[at] ?? 0) + bytes;
    if (at !== this.#first) return;
    while (this.#first < this.#parts.length && this.#isWhole(this.#first)) this.#first++;
    const before = this.#parts.slice(0, this.#first).reduce((sum, { length }) => sum + length, 0);
    this.#onProgress(before + (this.#written[this.#first] ?? 0));
  }

  #isWhole(at: number): boolean {
    return this.#written[at] === this.#parts[at]?.length;
  }
}

/** A range of the file. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

/** Cuts `size` bytes into at most `count` ranges of about the same length. */
export function partsOf(size: number, count: number): Part[] {
  const length = Math.ceil(size / count / ALIGNMENT) * ALIGNMENT;
  const parts: Part[] = [];
  for (let offset = 0; offset < size; offset += length) {
    parts.push({ offset, length: Math.min(length, size - offset) });
  }
  return parts;
}

async function writePart(
  source: SizedSource,
  part: Part,
  fd: number,
  signal: AbortSignal,
  onWritten: (bytes: number) => void,
): Promise<void> {
  const body = await source.open(part, { signal });
  let written = 0;
  // One group is written while the next one comes.
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { chunks, size } of gather(bodyChunks(body, signal))) {
      if (written + size > part.length) throw wrongSize(source, 'more');
      await writing;
      writing = writeGathered(fd, chunks, part.offset + written).then(() => {
        for (const chunk of chunks) giveBack(chunk);
        onWritten(size);
      });
      writing.catch(() => undefined);
      written += size;
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
  if (written < part.length) throw wrongSize(source, 'fewer');
}

function wrongSize(source: SizedSource, what: string): SyncerError {
  const message = `corrupted on transfer: got ${what} bytes than the expected ${source.size}`;
  return new SyncerError('corrupted', message, { path: source.path });
}
