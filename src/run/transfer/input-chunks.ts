import type { Readable } from 'node:stream';
import { SyncerError, toSyncerError } from '../../core/errors.ts';

/** Resolves when this many more bytes may pass (`--bwlimit`). */
export type SlowDown = (bytes: number) => Promise<void>;

/**
 * The chunks of an input that was promised to have `size` bytes. Rejects with `body-cut` where it has others: a store
 * that gets too few or too many answers as if the connection had been cut, as in rclone.
 */
export async function* promisedChunks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  size: number,
): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > size) {
      throw new SyncerError('body-cut', `the input is longer than --size (${size} bytes)`);
    }
    yield chunk;
  }
  if (length < size) {
    throw new SyncerError('body-cut', `the input has ${length} bytes, but --size says ${size}`);
  }
}

/** The chunks of a stream whose beginning was read, as slowly as they may pass. */
export async function* slowedChunks(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  slowDown: SlowDown,
): AsyncGenerator<Buffer> {
  if (head.length > 0) {
    await slowDown(head.length);
    yield head;
  }
  for await (const chunk of rest) {
    await slowDown(chunk.length);
    yield chunk;
  }
}

/** A stream whose start was read. */
export interface SplitInput {
  readonly head: Buffer;
  /** The rest; `undefined` if the stream ended within the head. */
  readonly rest: AsyncGenerator<Buffer> | undefined;
}

/** Reads at least `size` bytes of a stream, or all of a shorter one. Rejects if reading fails. */
export async function readHead(stream: Readable, size: number): Promise<SplitInput> {
  const chunks = chunksOf(stream);
  const head: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const next = await chunks.next();
    if (next.done === true) return { head: Buffer.concat(head), rest: undefined };
    head.push(next.value);
    length += next.value.length;
  }
  return { head: Buffer.concat(head), rest: chunks };
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (thrown) {
    throw toSyncerError(thrown);
  }
}
