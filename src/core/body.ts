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
