import type { Writable } from 'node:stream';
import { toSyncerError } from './errors.ts';
import type { Body, Details, FileEntry, Op, WriteSource } from './remote.ts';

/**
 * The chunks of a body. Rejects with the signal's reason when it is aborted, even if the stream hangs; destroys a
 * stream that is not read to its end. Throws `SyncerError`s.
 */
export async function* bodyChunks(body: Body, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  if (Buffer.isBuffer(body)) {
    yield body;
    return;
  }
  let rejectNext: (reason: unknown) => void = () => undefined;
  const onAbort = () => rejectNext(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // Without it, an error after the last read would end the program.
  body.on('error', () => undefined);
  const chunks = body[Symbol.asyncIterator]();
  try {
    while (true) {
      // It may have been aborted while the reader worked on the last chunk.
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        rejectNext = reject;
        chunks.next().then(resolve, reject);
      });
      signal.throwIfAborted();
      if (next.done) return;
      yield next.value;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw toSyncerError(thrown);
  } finally {
    signal.removeEventListener('abort', onAbort);
    body.destroy();
  }
}

/** The whole body as one Buffer; rejects as `bodyChunks` does. */
export async function collectBody(body: Body, signal: AbortSignal): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const chunks: Buffer[] = [];
  for await (const chunk of bodyChunks(body, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A file with this content, for a remote to write. */
export function wholeSource(
  target: Omit<WriteSource, 'size' | 'seekable' | 'open'>,
  content: Buffer,
): WriteSource {
  return {
    ...target,
    size: content.length,
    seekable: true,
    async open(range) {
      const { offset = 0, length = content.length } = range ?? {};
      return content.subarray(offset, offset + length);
    },
  };
}

/**
 * The data in buffers of `size` bytes; the last may be shorter. Its chunks are given back; give each buffer back when it
 * is used up.
 *
 * @param kept how many buffers are kept to be used again
 */
export async function* inBuffers(
  data: AsyncIterable<Buffer>,
  size: number,
  kept: number,
): AsyncGenerator<Buffer> {
  const buffers = new UsedAgain(size, kept);
  let buffer = buffers.take();
  let filled = 0;
  for await (const chunk of data) {
    for (let from = 0; from < chunk.length; ) {
      const copied = chunk.copy(buffer, filled, from);
      filled += copied;
      from += copied;
      if (filled < size) continue;
      yield buffer;
      buffer = buffers.take();
      filled = 0;
    }
    giveBack(chunk);
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** The details of a file, and its whole body by the same request; for details that heed `onBody`. */
export async function openWithDetails(
  details: Details,
  file: FileEntry,
  op: Op,
): Promise<{ readonly file: FileEntry; readonly body: Body }> {
  let body: Body = Buffer.alloc(0);
  const onBody = (opened: Body) => {
    body = opened;
  };
  const detailed = await details.read(file, op, { onBody });
  return { file: detailed, body };
}

/** What takes each lent buffer back, by its memory. */
const lenders = new WeakMap<ArrayBufferLike, (buffer: Buffer) => void>();

/** Reuses large buffers of one size. The last user of a chunk from elsewhere may call `giveBack`. */
export class UsedAgain {
  /** Of a buffer, in bytes. */
  readonly size: number;
  readonly #most: number;
  readonly #free: Buffer[] = [];
  readonly #takeBack = (buffer: Buffer) => {
    if (this.#free.length < this.#most) this.#free.push(buffer);
  };

  /**
   * @param size of a buffer, in bytes
   * @param most how many are kept
   */
  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  /** A buffer, whatever is in it. */
  take(): Buffer {
    const used = this.#free.pop();
    const buffer = used ?? Buffer.allocUnsafeSlow(this.size);
    lenders.set(buffer.buffer, this.#takeBack);
    return buffer;
  }
}

/** This chunk is no longer needed: its memory may be reused. To be called once, by its owner. */
export function giveBack(chunk: Buffer): void {
  const { buffer } = chunk;
  const takeBack = lenders.get(buffer);
  if (takeBack === undefined) return;
  // Giving it back twice does no harm.
  lenders.delete(buffer);
  takeBack(Buffer.from(buffer));
}

/** A function that computes its value at the first call and returns it at every later one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Bytes that come in pieces, kept as one: many small pieces take no more room than their bytes. */
export class ByteCollector {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(length, this.#room.length * 2, 256));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  take(): Buffer {
    const bytes = this.#room.subarray(0, this.#length);
    this.#room = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}

/** Resolves when a stream takes more again, or has ended. */
export function drained(stream: Pick<Writable, 'on' | 'off' | 'destroyed'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    if (stream.destroyed) done();
  });
}
