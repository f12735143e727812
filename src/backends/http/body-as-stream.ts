import { Readable } from 'node:stream';
import { hasCode } from '../../core/errors.ts';
import type { ReadRange } from '../../core/remote.ts';
import { type BodyCheck, bodyCut, brokenBody, type HttpAnswer } from './answer.ts';

/** The body as a stream, of `expected` bytes (`body-cut`) that pass `check`. `explain`: a better error for a cut one. */
export function bodyAsStream(
  answer: HttpAnswer,
  expected?: number,
  check?: BodyCheck,
  explain?: (error: Error) => Promise<Error>,
): Readable {
  let size = 0;
  let isWhole = false;
  const body = new Readable({
    // Chunk by chunk: a byte stream would copy waiting chunks together.
    objectMode: true,
    highWaterMark: 2,
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
      // Of small chunks, more wait for the reader.
      return body.push(chunk) || (chunk.length < 64 * 1024 && body.readableLength < 16);
    },
    end() {
      isWhole = true;
      const isCut = expected !== undefined && size !== expected;
      const wrong = isCut ? bodyCut(size, expected) : check?.finish();
      if (wrong !== undefined) body.destroy(wrong);
      else body.push(null);
    },
    broken(error) {
      if (body.destroyed) return;
      const broken = brokenBody(error, size, expected);
      if (explain === undefined || !hasCode(broken, 'body-cut')) body.destroy(broken);
      else void explain(broken).then((why) => body.destroy(why));
    },
  });
  return body;
}

/** A range of a whole body. Fails with `body-cut` if that ends before `end`; negative: unknown. */
export function cutOut(
  body: Readable,
  { offset, length = Number.POSITIVE_INFINITY }: ReadRange,
  end = -1,
): Readable {
  const limit = offset + length;
  async function* part() {
    let at = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(Math.max(0, offset - at), Math.max(0, limit - at));
      at += chunk.length;
      if (wanted.length > 0) yield wanted;
      if (at >= limit) return;
    }
    if (at < end) throw bodyCut(at, undefined);
  }
  return Readable.from(part(), { objectMode: true, highWaterMark: 4 });
}
