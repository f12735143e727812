import { SyncerError } from '../core/errors.ts';
import { giveBack } from '../kit/used-again.ts';
import type { HttpAnswer } from './answer.ts';

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
        const [only] = chunks;
        if (chunks.length === 1 && only !== undefined) return resolve(only);
        resolve(Buffer.concat(chunks, size));
        for (const chunk of chunks) giveBack(chunk);
      },
      broken: (error) => reject(brokenBody(error, size, expected)),
    });
  });
}

/** An error that the connection has not named yet is a truncated body. */
export function brokenBody(error: Error, got: number, expected: number | undefined): Error {
  return error instanceof BodyBroken ? bodyCut(got, expected, error.cause) : error;
}

/** The error of a body that is shorter than announced. */
export function bodyCut(got: number, expected: number | undefined, cause?: unknown): SyncerError {
  const of = expected === undefined ? '' : ` of ${expected}`;
  return new SyncerError('body-cut', `the response ended after ${got}${of} bytes`, { cause });
}

/** The connection broke in mid-body; the cause is the system's error. */
export class BodyBroken extends Error {}
