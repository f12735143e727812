import { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import type { Body, Op, ReadRange } from '../../../core/remote.ts';
import type { Answer } from '../../../http/answer.ts';
import { bodyAsStream, readWhole } from '../../../http/read-body.ts';
import type { GraphClient } from '../client/graph-client.ts';

/** Contents up to this size are read whole, in bytes: a body that breaks off is then asked for again here. */
const WHOLE = 256 * 1024;

/** What is to be read by a URL. */
export interface UrlRead {
  readonly url: URL;
  /** For messages. */
  readonly path: string;
  /** Of the whole file in bytes; negative where it is not known. */
  readonly size: number;
  readonly range: ReadRange | undefined;
}

/** Reads from a URL that needs no login. */
export async function readUrl(
  client: GraphClient,
  { url, path, size, range }: UrlRead,
  op: Op,
): Promise<Body> {
  if (range !== undefined && isEmpty(range, size)) return Buffer.alloc(0);
  const request = {
    method: 'GET',
    to: url,
    isOpen: true,
    headers: {
      // What is compressed on the way has no length that could be checked.
      'accept-encoding': 'identity',
      ...client.transport.downloadHeaders,
      ...(range === undefined ? {} : { range: rangeHeader(range) }),
    },
    doing: 'read',
    about: path,
  } as const;
  return client.open(request, op, (answer) => takeBody(answer, range, path));
}

/** The body of an answer, or the range of it that was wanted, where the service gives more than that. */
export async function takeBody(
  answer: Answer,
  range: ReadRange | undefined,
  path: string,
): Promise<Body> {
  const { status, headers, announcedLength } = answer;
  if (status >= 300) {
    answer.discard();
    throw new SyncerError('bad-answer', `cannot read ${path}: the service answers ${status}`);
  }
  if (range !== undefined && status !== 206)
    return cutOut(bodyAsStream(answer, announcedLength), range);
  const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
  if (range !== undefined && Number(start) !== range.offset) {
    answer.discard();
    throw new SyncerError(
      'bad-answer',
      `cannot read ${path}: the service gives another part of it`,
    );
  }
  return announcedLength !== undefined && announcedLength <= WHOLE
    ? readWhole(answer, WHOLE, announcedLength)
    : bodyAsStream(answer, announcedLength);
}

function isEmpty({ offset, length }: ReadRange, size: number): boolean {
  return length === 0 || (size >= 0 && offset >= size);
}

function rangeHeader({ offset, length }: ReadRange): string {
  return `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
}

/** A range of a body that comes whole. */
function cutOut(body: Readable, { offset, length }: ReadRange): Readable {
  async function* part() {
    const end = length === undefined ? Number.POSITIVE_INFINITY : offset + length;
    let at = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(Math.max(0, offset - at), Math.max(0, end - at));
      at += chunk.length;
      if (wanted.length > 0) yield wanted;
      if (at >= end) return;
    }
  }
  return Readable.from(part(), { objectMode: true, highWaterMark: 4 });
}
