import { gzipSync } from 'node:zlib';
import {
  answerOf,
  type Lie,
  type LieCall,
  type Lies,
  type WholeAnswer,
  withHeaders,
} from './lie.ts';

const altered =
  (alter: (answer: WholeAnswer, call: LieCall) => WholeAnswer | undefined) =>
  async (call: LieCall) => {
    const answer = await call.ask();
    return answer.status === 200 || answer.status === 206 ? alter(answer, call) : undefined;
  };

const get = (about: string, tell: Lie['tell']): Lie => ({ about, of: ['GetObject'], tell });
const head = (about: string, tell: Lie['tell']): Lie => ({ about, of: ['HeadObject'], tell });

/** The answer to a range, changed. */
const ranged = (alter: (answer: WholeAnswer) => WholeAnswer) =>
  altered((answer) => (answer.status === 206 ? alter(answer) : undefined));

const OTHER = '"0123456789abcdef0123456789abcdef"';

/** Another content of the same length. */
function other(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  if (changed.length > 0) changed[0] = (changed[0] ?? 0) ^ 1;
  return changed;
}

/** Lies about HEAD and GET of an object. */
export const READ_LIES: Lies = {
  'head-no-headers': head('status 200 without a header', () => answerOf(200)),
  'head-no-length': head(
    'no length',
    altered((answer) => withHeaders(answer, { 'content-length': undefined })),
  ),
  'head-no-identity': head(
    'neither ETag nor time',
    altered((answer) => withHeaders(answer, { etag: undefined, 'last-modified': undefined })),
  ),
  'head-aged': head(
    'the answer comes from a cache, an hour old',
    altered((answer) => withHeaders(answer, { age: '3600' })),
  ),
  'get-whole-for-range': get('the whole object where a range was asked for', ({ ask, request }) =>
    request.headers.range === undefined ? undefined : ask({ headers: { range: undefined } }),
  ),
  'get-other-range': get(
    'another range of the same length',
    ranged((answer) =>
      withHeaders(answer, {
        'content-range': answer.headers['content-range']?.replace(
          /(\d+)-(\d+)/,
          (_all, a, b) => `${Number(a) + 1}-${Number(b) + 1}`,
        ),
      }),
    ),
  ),
  'get-range-untold': get(
    'status 206 without a word which range it is',
    ranged((answer) => withHeaders(answer, { 'content-range': undefined })),
  ),
  'get-ranges': get(
    'a range as one of several, with its boundaries',
    ranged((answer) => ({
      ...withHeaders(answer, {
        'content-range': undefined,
        'content-type': 'multipart/byteranges; boundary=x',
      }),
      body: Buffer.concat([Buffer.from('--x\r\n\r\n'), answer.body, Buffer.from('\r\n--x--')]),
    })),
  ),
  'get-part-for-whole': get(
    'half of the object, with status 206, where all of it was asked for',
    altered((answer) => {
      if (answer.status !== 200 || answer.body.length < 2) return undefined;
      const half = Math.floor(answer.body.length / 2);
      const range = `bytes 0-${half - 1}/${answer.body.length}`;
      const body = answer.body.subarray(0, half);
      return { ...withHeaders(answer, { 'content-range': range }), status: 206, body };
    }),
  ),
  'get-shorter': get(
    'a body that is shorter, as its length says',
    altered((answer) =>
      answer.body.length === 0 ? undefined : { ...answer, body: answer.body.subarray(1) },
    ),
  ),
  'get-longer': get(
    'a body that is longer, as its length says',
    altered((answer) => ({ ...answer, body: Buffer.concat([answer.body, Buffer.from('x')]) })),
  ),
  'get-cut': get(
    'a body in chunks that ends without the last one',
    altered((answer) =>
      answer.body.length === 0
        ? undefined
        : { ...answer, cutAfter: Math.floor(answer.body.length / 2) },
    ),
  ),
  'get-packed': get(
    'a body that was packed on the way',
    altered((answer) => ({
      ...withHeaders(answer, { 'content-encoding': 'gzip' }),
      body: gzipSync(answer.body),
    })),
  ),
  'get-other-object': get(
    'another object of the same length, with its ETag',
    altered((answer) => ({ ...withHeaders(answer, { etag: OTHER }), body: other(answer.body) })),
  ),
  'get-no-etag': get(
    'another object of the same length, without an ETag',
    altered((answer) => ({
      ...withHeaders(answer, { etag: undefined }),
      body: other(answer.body),
    })),
  ),
};
