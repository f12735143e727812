import { SyncerError } from '../../src/core/errors.ts';
import type { ReadRange } from '../../src/core/remote.ts';

/** What is kept beyond the wanted end of a content, in bytes. */
const MOST_EXTRA = 1 << 20;

/** The flags of `cat` that choose a part of each file, in bytes. */
export interface CatFlags {
  readonly head?: number | undefined;
  readonly tail?: number | undefined;
  readonly offset?: number | undefined;
  readonly count?: number | undefined;
}

/** Which part of each file is printed. */
export interface CatPart {
  /** Negative counts from the end. */
  readonly offset: number;
  /** -1 to the end. */
  readonly count: number;
}

/**
 * Reads the flags as rclone does: ignores a head, tail or count below its smallest valid value. Throws `usage` if two
 * of them contradict each other.
 */
export function catPart({ head = 0, tail = 0, offset = 0, count = -1 }: CatFlags): CatPart {
  const used = [head > 0, tail > 0, offset !== 0 || count >= 0].filter(Boolean).length;
  if (used > 1) {
    throw new SyncerError('usage', 'use only one of --head, --tail, and --offset with --count');
  }
  if (head > 0) return { offset: 0, count: head };
  return tail > 0 ? { offset: -tail, count: -1 } : { offset, count };
}

/**
 * The range of a file of `size` bytes (-1: unknown) to be read; `'nothing'` if it is empty. An empty file is read whole:
 * it may be unreadable, or a delete marker. One of unknown size, too, if its end is wanted: `lastPart` cuts that.
 */
export function catRange(part: CatPart, size: number): ReadRange | undefined | 'nothing' {
  if (part.count === 0) return 'nothing';
  if (size === 0 || isFromUnknownEnd(part, size)) return undefined;
  const offset = part.offset < 0 ? Math.max(0, size + part.offset) : part.offset;
  // Servers refuse such a range, or send the whole file.
  if (size > 0 && offset >= size) return 'nothing';
  if (part.count > 0) return { offset, length: part.count };
  return offset === 0 ? undefined : { offset };
}

/** Whether a part is counted from an end that only reading finds. */
export function isFromUnknownEnd({ offset }: CatPart, size: number): boolean {
  return size < 0 && offset < 0;
}

/** The part of a content that is counted from its end; keeps no more of it than that. */
export async function* lastPart(
  chunks: AsyncIterable<Buffer>,
  { offset, count }: CatPart,
): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    bytes += chunk.length;
    // As much again may be kept, so that it is copied rarely.
    if (bytes > -2 * offset + MOST_EXTRA) {
      kept = [Buffer.concat(kept).subarray(offset)];
      bytes = -offset;
    }
  }
  const last = Buffer.concat(kept).subarray(offset);
  yield count < 0 ? last : last.subarray(0, count);
}
