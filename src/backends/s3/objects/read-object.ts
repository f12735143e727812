import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Body, FileEntry, Op, ReadRange } from '../../../core/remote.ts';
import { bodyAsStream, type HttpAnswer, readWhole } from '../../http/answer.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { ASK_FOR_CHECKSUM, CRC32_HEADER, wholeObjectCheck } from '../checksums.ts';
import type { S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { ifMatch } from '../upload/write-headers.ts';
import { etagOf } from './object-entry.ts';

/** Up to this size, in bytes, a body is read whole before it is returned. */
const SMALL_BODY = 256 * 1024;

/**
 * Opens an object or range, which must still be the one of `file` (`source-changed`). Small bodies are read whole and
 * retried, others are streams. A whole object is checked by its CRC-32 if the server reports it (`corrupted`).
 */
export async function openObject(
  store: S3Store,
  file: FileEntry,
  range: ReadRange | undefined,
  op: Op,
): Promise<{ readonly body: Body; readonly headers: HttpHeaders }> {
  const { path, size } = file;
  const { offset = 0, length } = range ?? {};
  if (length === 0) return { body: Buffer.alloc(0), headers: {} };
  if (file.kept !== undefined) {
    throw new SyncerError('file-not-found', 'object not found: it is a delete marker', { path });
  }
  const { bucket, key, version } = store.locateFile(file);
  const { integrity } = store;
  const isWhole = offset === 0 && length === undefined;
  // The MD5 of a small object with one is computed as fast.
  const asksForChecksum = integrity.supports(size > SMALL_BODY ? 'answers' : 'headers');
  const ofWhole = asksForChecksum ? ASK_FOR_CHECKSUM : {};
  const end = length === undefined ? '' : offset + length - 1;
  const rest = Math.max(0, size - offset);
  const asked = { offset, length, expected: size < 0 ? undefined : Math.min(rest, length ?? rest) };
  const request = {
    method: 'GET',
    bucket,
    key,
    version,
    headers: {
      ...(isWhole ? ofWhole : { range: `bytes=${offset}-${end}` }),
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
      try {
        checkAnswered(answer, etag, file, asked, `${bucket}/${key}`);
      } catch (error) {
        answer.discard();
        throw error;
      }
      const expected = asked.expected ?? announcedLength;
      const hasCheck = isWhole && headers[CRC32_HEADER] !== undefined;
      const check = hasCheck ? wholeObjectCheck(headers, `${bucket}/${key}`) : undefined;
      const isSmall = announcedLength !== undefined && announcedLength <= SMALL_BODY;
      if (!isSmall) return { body: bodyAsStream(answer, expected, check), headers };
      const body = await readWhole(answer, SMALL_BODY, expected);
      check?.update(body);
      const wrong = check?.finish();
      if (wrong !== undefined) throw wrong;
      return { body, headers };
    });
  } catch (error) {
    if (hasCode(error, 'precondition-failed')) throw changed(`${bucket}/${key}`, error);
    if (hasS3Code(error, 'NoSuchBucket')) {
      throw new SyncerError('file-not-found', error.message, { path, cause: error });
    }
    throw error;
  }
}

function changed(where: string, cause?: unknown): SyncerError {
  const text = `${where} was replaced since it was listed`;
  return new SyncerError('source-changed', text, { advice: 'run the command again', cause });
}

/** Throws `source-changed` for the response of another object, `bad-answer` for another range or length. */
function checkAnswered(
  { status, headers, announcedLength }: HttpAnswer,
  etag: string | undefined,
  file: FileEntry,
  asked: { readonly offset: number } & Readonly<Record<'length' | 'expected', number | undefined>>,
  where: string,
): void {
  const { offset, length: wanted, expected } = asked;
  const wrong = (what: string) => new SyncerError('bad-answer', `cannot read ${where}: ${what}`);
  if (status !== 200 && status !== 206) throw wrong(`the server responded with status ${status}`);
  if (file.etag !== undefined && etag !== file.etag) {
    if (etag === undefined) throw wrong('the answer does not tell its ETag');
    throw changed(where);
  }
  if (status === 206) {
    const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
    const length = Number(to) - Number(from) + 1;
    const most = wanted ?? length;
    const isLength = expected === undefined ? length <= most : length === expected;
    if (Number(from) !== offset || !isLength)
      throw wrong(`it is another range: ${headers['content-range'] ?? 'none'}`);
    return;
  }
  // A range of the whole object may get a response without a range.
  const isWhole = offset === 0 && (wanted === undefined || announcedLength === expected);
  if (!isWhole) throw wrong('the server ignores ranges');
  if (announcedLength !== undefined && expected !== undefined && announcedLength !== expected) {
    const text = `cannot read ${where}: it has ${announcedLength} bytes, not ${expected}`;
    const trueSize = offset === 0 && wanted === undefined ? announcedLength : undefined;
    throw new SyncerError('bad-answer', text, { trueSize });
  }
}
