import { Readable } from 'node:stream';
import { SyncerError } from '../core/errors.ts';
import type { HttpAnswer } from './answer.ts';

/** How many chunks of a stream wait for its reader; more of small ones. */
const WAITING = 2;
const WAITING_SMALL = 16;

/** A chunk below this size is small, in bytes. */
const SMALL = 64 * 1024;

/** Observes a body. */
export interface BodyCheck {
  update(chunk: Buffer): void;
  /** The error of the whole body, if any. */
  finish(): SyncerError | undefined;
}

/** The whole body. Rejects with `body-cut` if it is not `expected` bytes long, with `bad-answer` above `limit` bytes. */
export function readWhole(answer: HttpAnswer, limit: number, expected?: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.read({
      data(chunk) {
        size += chunk.length;
        if (size > limit) {
          answer.discard();
          reject(new SyncerError('bad-answer', `the response is larger than ${limit} bytes`));
          return false;
        }
        chunks.push(chunk);
        return true;
      },
      end() {
        if (expected !== undefined && size !== expected) return reject(bodyCut(size, expected));
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
      },
      broken: (error) => reject(brokenBody(error, size, expected)),
    });
  });
}

/**
 * The body as a stream. It fails with a `SyncerError` (`body-cut` if it is not `expected` bytes long, or from
 * `check`) or an abort's reason.
 */
export function bodyAsStream(answer: HttpAnswer, expected?: number, check?: BodyCheck): Readable {
  let size = 0;
  let isWhole = false;
  const body = new Readable({
    // Chunk by chunk: a byte stream would copy waiting chunks together.
    objectMode: true,
    highWaterMark: WAITING,
    read: () => answer.resume(),
    destroy(error, done) {
      if (!isWhole) answer.discard();
      done(error);
    },
  });
  // It may fail before it is read, and reports that then.
  body.on('error', () => undefined);
  answer.read({
    data(chunk) {
      size += chunk.length;
      check?.update(chunk);
      const wants = body.push(chunk);
      return wants || (chunk.length < SMALL && body.readableLength < WAITING_SMALL);
    },
    end() {
      isWhole = true;
      const isCut = expected !== undefined && size !== expected;
      const wrong = isCut ? bodyCut(size, expected) : check?.finish();
      if (wrong !== undefined) body.destroy(wrong);
      else body.push(null);
    },
    broken(error) {
      if (!body.destroyed) body.destroy(brokenBody(error, size, expected));
    },
  });
  return body;
}

/** An error that the connection has not named yet is a truncated body. */
function brokenBody(error: Error, got: number, expected: number | undefined): Error {
  return error instanceof BodyBroken ? bodyCut(got, expected, error.cause) : error;
}

function bodyCut(got: number, expected: number | undefined, cause?: unknown): SyncerError {
  const of = expected === undefined ? '' : ` of ${expected}`;
  return new SyncerError('body-cut', `the response ended after ${got}${of} bytes`, { cause });
}

/** The connection broke in mid-body; the cause is the system's error. */
export class BodyBroken extends Error {}
