import { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import type { Body, Op, ReadRange } from '../../../core/remote.ts';
import { type HttpAnswer, readWhole } from '../../../http/answer.ts';
import { bodyAsStream } from '../../../http/body-as-stream.ts';
import type { GraphClient } from '../client/graph-client.ts';
import { badAnswer } from '../client/graph-request.ts';

/** Contents up to this size are read whole, in bytes: an incomplete body is then requested again here. */
const WHOLE = 256 * 1024;

/** A read of a URL. */
export interface UrlRead {
  readonly url: URL;
  /** For messages. */
  readonly path: string;
  /** Of the whole file in bytes; negative if unknown. */
  readonly size: number;
  readonly range: ReadRange | undefined;
  /** Also if the virus scanner of the service has flagged the file. */
  readonly forced: boolean;
}

/** The header for `UrlRead.forced`. */
export const FORCED = { prefer: 'forceInfectedDownload' };

/** A body, and the ETag of the response: equal ones are of one version. */
export interface TaggedBody {
  readonly body: Body;
  readonly tag: string | undefined;
}

/** Reads from a URL that needs no login. */
export async function readUrl(
  client: GraphClient,
  { url, path, size, range, forced }: UrlRead,
  op: Op,
): Promise<TaggedBody> {
  const request = {
    method: 'GET',
    to: url,
    isOpen: true,
    headers: {
      // A compressed body has no length to check.
      'accept-encoding': 'identity',
      ...(forced ? FORCED : {}),
      ...client.transport.downloadHeaders,
      ...(range === undefined ? {} : { range: rangeHeader(range) }),
    },
    doing: 'read',
    about: path,
  } as const;
  return client.open(request, op, (answer) => takeBody(answer, { path, size, range }));
}

/**
 * The body of a response, cut to the range if the service sent more. Rejects with `bad-answer` if its length is
 * wrong.
 */
export async function takeBody(
  answer: HttpAnswer,
  { path, size, range }: Omit<UrlRead, 'url' | 'forced'>,
): Promise<TaggedBody> {
  const { status, headers, announcedLength: length } = answer;
  const tag = headers['etag'];
  const part = range === undefined || status !== 206 ? undefined : partIn(answer);
  const wanted = part === undefined ? size : endOf(range, size) - (range?.offset ?? 0);
  const isOther = length !== undefined && wanted >= 0 && length !== wanted;
  if (isOther || !isExpected(answer, part, range, size)) {
    answer.discard();
    throw badAnswer(
      { doing: 'read', about: path },
      isOther
        ? `the service returned ${length} bytes instead of ${wanted}`
        : 'the service returned something else',
    );
  }
  const expected = length ?? (wanted < 0 ? undefined : wanted);
  if (range !== undefined && part === undefined) {
    return { body: cutOut(bodyAsStream(answer, expected), range, endOf(range, size)), tag };
  }
  const isSmall = length !== undefined && length <= WHOLE;
  const body = isSmall ? await readWhole(answer, WHOLE, length) : bodyAsStream(answer, expected);
  return { body, tag };
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly total: number | undefined;
}

function partIn({ headers }: HttpAnswer): Part | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  if (match === null) return undefined;
  const [start = 0, last = 0] = match.slice(1, 3).map(Number);
  return { start, end: last + 1, total: match[3] === '*' ? undefined : Number(match[3]) };
}

function isExpected(
  { status }: HttpAnswer,
  part: Part | undefined,
  range: ReadRange | undefined,
  size: number,
): boolean {
  if (status !== 200 && status !== 206) return false;
  if (range === undefined) return status === 200;
  if (part === undefined) return status === 200;
  const end = endOf(range, size);
  const isRight = part.start === range.offset && (end < 0 || part.end === end);
  return isRight && (size < 0 || part.total === undefined || part.total === size);
}

/** The end of a range; negative if unknown. */
function endOf(range: ReadRange | undefined, size: number): number {
  const { offset = 0, length } = range ?? {};
  if (length === undefined) return size;
  return size < 0 ? -1 : Math.min(size, offset + length);
}

/** Whether a range of a file of this size is empty. */
export function isEmpty({ offset, length }: ReadRange, size: number): boolean {
  return length === 0 || (size >= 0 && offset >= size);
}

function rangeHeader({ offset, length }: ReadRange): string {
  return `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
}

/** A range of a whole body; `end` is negative if unknown. */
function cutOut(body: Readable, { offset, length }: ReadRange, end: number): Readable {
  const limit = length === undefined ? Number.POSITIVE_INFINITY : offset + length;
  async function* part() {
    let at = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(Math.max(0, offset - at), Math.max(0, limit - at));
      at += chunk.length;
      if (wanted.length > 0) yield wanted;
      if (at >= limit) return;
    }
    if (at < end) throw new SyncerError('body-cut', `the response ended after ${at} bytes`);
  }
  return Readable.from(part(), { objectMode: true, highWaterMark: 4 });
}
