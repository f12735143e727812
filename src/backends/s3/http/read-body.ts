import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';

/** Up to this size, in bytes, a body is read whole before it is given. */
export const SMALL_BODY = 256 * 1024;

/** Looks at a body as it passes. */
export interface BodyCheck {
  update(chunk: Buffer): void;
  /** What is wrong with the whole. */
  finish(): SyncerError | undefined;
}

/** The length the answer announces, in bytes. */
export function announcedLength(incoming: IncomingMessage): number | undefined {
  const text = incoming.headers['content-length'];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/**
 * The whole body. Rejects with `body-cut` where it ends early or has not `expected` bytes, `bad-answer` where it is
 * larger than `limit` bytes.
 */
export async function readWhole(
  incoming: IncomingMessage,
  limit: number,
  signal: AbortSignal,
  expected?: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        incoming.destroy();
        return reject(new SyncerError('bad-answer', `the answer is larger than ${limit} bytes`));
      }
      chunks.push(chunk);
    });
    incoming.on('end', () => {
      if (isCut(incoming, size, expected)) return reject(bodyCut(size, expected));
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    const onBroken = (error?: Error) => {
      if (!incoming.readableEnded) reject(brokenBody(error, signal, size, expected));
    };
    incoming.on('error', onBroken);
    incoming.on('close', onBroken);
  });
}

/**
 * The body as a stream of Buffers whose errors are `SyncerError`s: `body-cut` where it has not `expected` bytes, and
 * what `check` finds.
 */
export function bodyAsStream(
  incoming: IncomingMessage,
  signal: AbortSignal,
  idleMs: number,
  expected?: number,
  check?: BodyCheck,
): Readable {
  let size = 0;
  const body = new Readable({
    // Chunk by chunk: a stream of bytes would copy together what waits.
    objectMode: true,
    highWaterMark: 8,
    read() {
      if (!incoming.isPaused()) return;
      // A time limit that ran out while nobody read was let pass and is not armed any more.
      if (idleMs > 0) incoming.socket.setTimeout(idleMs);
      incoming.resume();
    },
    destroy(error, done) {
      if (!incoming.complete || !incoming.readableEnded) incoming.destroy();
      done(error);
    },
  });
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    check?.update(chunk);
    if (!body.push(chunk)) incoming.pause();
  });
  incoming.on('end', () => {
    const wrong = isCut(incoming, size, expected) ? bodyCut(size, expected) : check?.finish();
    if (wrong !== undefined) body.destroy(wrong);
    else body.push(null);
  });
  const onBroken = (error?: Error) => {
    if (body.readableEnded || body.destroyed || incoming.readableEnded) return;
    body.destroy(brokenBody(error, signal, size, expected));
  };
  incoming.on('error', onBroken);
  incoming.on('close', onBroken);
  return body;
}

function isCut(incoming: IncomingMessage, got: number, expected: number | undefined): boolean {
  return !incoming.complete || (expected !== undefined && got !== expected);
}

function brokenBody(
  error: Error | undefined,
  signal: AbortSignal,
  got: number,
  expected: number | undefined,
): Error {
  if (signal.aborted) return signal.reason;
  return error instanceof SyncerError ? error : bodyCut(got, expected, error);
}

function bodyCut(got: number, expected: number | undefined, cause?: Error): SyncerError {
  const of = expected === undefined ? '' : ` of ${expected}`;
  return new SyncerError('body-cut', `the answer broke off after ${got}${of} bytes`, { cause });
}
