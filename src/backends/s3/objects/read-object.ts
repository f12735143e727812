import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange } from '../../../core/remote.ts';
import { readWhole } from '../../http/answer.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { bodyAsStream } from '../../http/body-as-stream.ts';
import { ASK_FOR_CHECKSUM, CRC32_HEADER, wholeObjectCheck } from '../checksums.ts';
import type { OpenAnswer } from '../client/request.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { ifMatch } from '../upload/write-headers.ts';
import { isDeleteMarker } from './head-object.ts';
import { etagOf, fileFromHeaders } from './object-entry.ts';

/** Up to this size, in bytes, a body is read whole before it is returned. */
const SMALL_BODY = 256 * 1024;

/**
 * Reads an object or range, which must still be the one of `file` (`source-changed`). Small bodies are read whole and
 * retried, others are streams. A whole object is checked by its CRC-32 if the server reports it (`corrupted`).
 */
export async function readObject(
  store: S3Store,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<Body> {
  if (range?.length === 0) return Buffer.alloc(0);
  return (await openObject(store, file, range, op)).body;
}

/** Opens a whole object, and returns its details from the headers of the response. */
export async function readObjectWithDetails(
  store: S3Store,
  file: FileEntry,
  op: Op,
  onBody: (body: Body) => void,
): Promise<FileEntry> {
  const { body, headers } = await openObject(store, file, undefined, op);
  onBody(body);
  return fileFromHeaders(file.path, headers, store.settings.encryption.etagIsNotMd5, file);
}

async function openObject(
  store: S3Store,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<{ readonly body: Body; readonly headers: HttpHeaders }> {
  if (file.kept !== undefined) throw isDeleteMarker(file.path);
  const { bucket, key, version } = store.locateFile(file);
  const ranged = range && rangeHeader(range);
  const request = {
    method: 'GET',
    bucket,
    key,
    version,
    headers: {
      ...(ranged ?? (asksForChecksum(store, file) ? ASK_FOR_CHECKSUM : {})),
      ...ifMatch(file.etag),
      ...store.settings.encryption.keyHeaders,
      ...store.client.downloadHeaders,
    },
    doing: 'read',
  } as const;
  try {
    return await store.client.open(request, op, async (answer) => {
      const { headers, announcedLength } = answer;
      const etag = etagOf(headers);
      store.listedEtags.learn(bucket, headers, etag);
      const asked = { range: ranged && range, expected: expectedLength(file, range) };
      try {
        checkAnswered(answer, etag, file, asked, `${bucket}/${key}`);
      } catch (error) {
        answer.discard();
        throw error;
      }
      const expected = asked.expected ?? announcedLength;
      const hasCheck = ranged === undefined && headers[CRC32_HEADER] !== undefined;
      const check = hasCheck ? wholeObjectCheck(headers, `${bucket}/${key}`) : undefined;
      const isSmall = announcedLength !== undefined && announcedLength <= SMALL_BODY;
      if (!isSmall) {
        return { body: bodyAsStream(answer, expected, check), headers };
      }
      const body = await readWhole(answer, SMALL_BODY, expected);
      check?.update(body);
      const wrong = check?.finish();
      if (wrong !== undefined) throw wrong;
      return { body, headers };
    });
  } catch (error) {
    if (hasCode(error, 'precondition-failed')) throw changed(`${bucket}/${key}`, error);
    if (hasS3Code(error, 'NoSuchBucket')) {
      throw new SyncerError('file-not-found', error.message, { path: file.path, cause: error });
    }
    throw error;
  }
}

/** The MD5 of a small object with one is computed as fast. */
function asksForChecksum({ integrity }: S3Store, { size }: FileEntry): boolean {
  return integrity.usesChecksums || (integrity.mayAsk && size > SMALL_BODY);
}

/** The expected number of bytes, if the size is known. */
function expectedLength({ size }: FileEntry, range: ReadRange | undefined): number | undefined {
  if (size < 0) return undefined;
  const rest = Math.max(0, size - (range?.offset ?? 0));
  return Math.min(rest, range?.length ?? rest);
}

function rangeHeader(range: ReadRange): Record<string, string> | undefined {
  if (range.offset === 0 && range.length === undefined) return undefined;
  const end = range.length === undefined ? '' : String(range.offset + range.length - 1);
  return { range: `bytes=${range.offset}-${end}` };
}

function changed(where: string, cause?: unknown): SyncerError {
  const text = `${where} was replaced since it was listed`;
  return new SyncerError('source-changed', text, { advice: 'run the command again', cause });
}

/**
 * Throws if the response to a GET is not the requested one: `source-changed` for another object, `bad-answer` for
 * another range or length.
 *
 * @param expected number of bytes, if known
 * @param where bucket and key, for messages
 */
function checkAnswered(
  { status, headers, announcedLength }: OpenAnswer,
  etag: string | undefined,
  file: FileEntry,
  asked: { readonly range: ReadRange | undefined; readonly expected: number | undefined },
  where: string,
): void {
  const wrong = (what: string) => new SyncerError('bad-answer', `cannot read ${where}: ${what}`);
  const { range, expected } = asked;
  if (status !== 200 && status !== 206) throw wrong(`the server responded with status ${status}`);
  if (file.etag !== undefined && etag !== file.etag) {
    if (etag === undefined) throw wrong('the answer does not tell its ETag');
    throw changed(where);
  }
  const offset = range?.offset ?? 0;
  if (status === 206) {
    const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
    const length = Number(to) - Number(from) + 1;
    const most = range?.length ?? length;
    const isLength = expected === undefined ? length <= most : length === expected;
    if (Number(from) !== offset || !isLength)
      throw wrong(`it is another range: ${headers['content-range'] ?? 'none'}`);
    return;
  }
  // A range of the whole object may get a response without a range.
  const isWhole = range === undefined || (offset === 0 && announcedLength === expected);
  if (!isWhole) throw wrong('the server ignores ranges');
  if (announcedLength !== undefined && expected !== undefined && announcedLength !== expected) {
    throw wrong(`it has ${announcedLength} bytes, not ${expected}`);
  }
}
