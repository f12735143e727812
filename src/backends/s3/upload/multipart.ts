import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { withGrace } from '../../../core/context.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { typedPath } from '../../../core/remote-path.ts';
import { retry } from '../../../core/retry.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { bareEtag } from '../../s3-protocol/etag.ts';
import { childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { withBucket } from '../buckets.ts';
import {
  CRC32_HEADER,
  encodeCrc32,
  fitsParts,
  type UploadChecksums,
  wholeHeaders,
} from '../checksums.ts';
import { askDocument, findHead, unprovenPolicy } from '../client/ask.ts';
import { type S3Request, whereOf } from '../client/request.ts';
import { abortUpload } from '../listing/history.ts';
import { answerOfWrite, etagOf } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code, isRefusedAgain, StoreError } from '../store-error.ts';
import { xmlDocument } from '../xml/write-document.ts';
import type { PartSums } from './source-parts.ts';

/** Delays before each look at the result of a completion whose response was lost: it may still be running. */
const LATE_MS = [0, 250, 1000, 2000];

/** The server's report of a completed upload. */
export interface Completed {
  readonly headers: HttpHeaders;
  readonly etag: string | undefined;
  /** The response has the CRC-32 of the parts. */
  readonly hasCrc32?: boolean;
  /** The object's CRC-32 in the response, if it differs from that of the parts. */
  readonly wrongCrc32?: string | undefined;
}

/** A part that the server has copied. */
export interface CopiedPart extends RecordedPart {
  /** Its CRC-32 in the response, as on the wire; `undefined` if it has none. */
  readonly copiedCrc32: string | undefined;
}

/** One multipart upload, from its creation to its completion. */
export class MultipartUpload {
  readonly #store: S3Store;
  readonly #at: Location;
  readonly id: string;
  /** The checksum that the server agreed to. */
  readonly checksums: UploadChecksums;

  /** An upload that was started before, perhaps by an earlier run. */
  constructor(store: S3Store, at: Location, id: string, checksums: UploadChecksums) {
    this.#store = store;
    this.#at = at;
    this.id = id;
    this.checksums = checksums;
  }

  /** Starts an upload, in a new bucket if need be. `wantsChecksums`: parts are sent by `put`. Aborted if the run ends. */
  static async create(
    store: S3Store,
    at: Location,
    headers: Record<string, string>,
    wantsChecksums: boolean,
    op: Op,
  ): Promise<MultipartUpload> {
    // The CRC-32 of all bytes; in a directory bucket of the parts.
    const asked = {
      'x-amz-checksum-algorithm': 'CRC32',
      ...(!store.settings.directoryBucket && { 'x-amz-checksum-type': 'FULL_OBJECT' }),
    };
    const query = [['uploads', '']] as const;
    const request = { method: 'POST', ...at, query, headers, doing: 'write' } as const;
    const begin = async (asking: Op) => {
      const ask = (more: Readonly<Record<string, string>>) => {
        const whole = { ...request, headers: { ...headers, ...more } };
        const root = 'InitiateMultipartUploadResult';
        const call = () => askDocument(store.client, whole, root, asking);
        return withBucket(store, at.bucket, asking, call);
      };
      let checksums: UploadChecksums = 'none';
      const answer = await (wantsChecksums
        ? store.integrity.attempt(async (isOn) => {
            const begun = await ask(isOn ? asked : {});
            const { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type } =
              begun.headers;
            // Older servers support only the checksum of the parts.
            const answered = type === 'FULL_OBJECT' ? 'whole' : 'parts';
            checksums = isOn && algorithm?.toUpperCase() === 'CRC32' ? answered : 'none';
            if (!isOn || checksums !== 'none') return begun;
            store.integrity.limitTo('none', 'ignored');
            // It may require what it does not confirm, and refuse parts without it.
            await new MultipartUpload(store, at, uploadId(begun.root, at), 'none').abort();
            return ask({});
          }, store.integrity.supports('answers'))
        : ask({}));
      return new MultipartUpload(store, at, uploadId(answer.root, at), checksums);
    };
    op.signal.throwIfAborted();
    // While the run ends, the response is awaited, so that the upload can be undone.
    const upload = await withGrace(op.signal, 2_000, (signal) => begin({ signal }));
    if (op.signal.aborted) await upload.abort();
    op.signal.throwIfAborted();
    return upload;
  }

  /**
   * Sends a part with its CRC-32 if the server supports that, else with its MD5, which costs six times as much. Without
   * TLS its SHA-256 is signed as well. `sums`: of the body, if they are known.
   */
  async put(number: number, body: Buffer, op: Op, sums?: PartSums): Promise<RecordedPart> {
    const { encryption, verifyMultipartEtag } = this.#store.settings;
    const crc = this.checksums === 'none' ? undefined : (sums?.crc32 ?? crc32(body));
    const md5 = crc === undefined ? hash('md5', body, 'hex') : '';
    const headers = {
      ...(crc === undefined
        ? this.#store.headers.contentMd5(md5)
        : { [CRC32_HEADER]: encodeCrc32(crc) }),
      ...encryption.keyHeaders,
    };
    const request = this.#request('PUT', { number, headers, body, sha256: sums?.sha256 });
    const answer = await this.#store.client.call(request, op);
    const written = answerOfWrite(answer.headers);
    const isMd5 = verifyMultipartEtag && !encryption.etagIsNotMd5;
    const told = isMd5 ? written.md5 : undefined;
    if (md5 !== '' && told !== undefined && told !== md5) {
      const { bucket, key } = this.#at;
      const text = `${bucket}/${key}: the stored part differs from the sent part: MD5 ${told}, not ${md5}`;
      throw new SyncerError('corrupted', text);
    }
    const etag = written.etag ?? (md5 || hash('md5', body, 'hex'));
    return { number, size: body.length, etag, md5, crc32: crc };
  }

  /** Copies the bytes from `from` on as a part, server-side; `source` are the headers that name the source. */
  async copy(
    number: number,
    from: number,
    size: number,
    source: Record<string, string>,
    op: Op,
  ): Promise<CopiedPart> {
    const range = `bytes=${from}-${from + size - 1}`;
    const headers = { ...source, 'x-amz-copy-source-range': range };
    const request = this.#request('PUT', { number, headers });
    const { root } = await askDocument(this.#store.client, request, 'CopyPartResult', op);
    const crc = childText(root, 'ChecksumCRC32')?.trim();
    return { number, size, etag: toldEtag(root, request), md5: '', copiedCrc32: crc };
  }

  /**
   * Completes the upload; the caller verifies the result. If the response is lost or proves nothing, it is repeated
   * once; it counts as done if the object has the ETag of the parts, and the headers `own` if the server refuses the
   * repetition because of `conditions`.
   */
  async complete(
    parts: readonly RecordedPart[],
    op: Op,
    conditions: Readonly<Record<string, string>> = {},
    own: Readonly<Record<string, string>> = {},
  ): Promise<Completed> {
    const list = parts.map(({ number, etag, crc32: crc }) => {
      const sum = crc === undefined ? '' : `<ChecksumCRC32>${encodeCrc32(crc)}</ChecksumCRC32>`;
      return `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag>${sum}</Part>`;
    });
    const body = xmlDocument('CompleteMultipartUpload', list.join(''));
    const headers = {
      'content-type': 'application/xml',
      ...conditions,
      ...(this.checksums === 'whole' ? wholeHeaders(parts) : {}),
    };
    const request = this.#request('POST', { headers, body });
    const ask = async () => {
      const { client } = this.#store;
      const answer = await askDocument(client, request, 'CompleteMultipartUploadResult', op);
      const etag = bareEtag(childText(answer.root, 'ETag') ?? '') || undefined;
      const told = childText(answer.root, 'ChecksumCRC32');
      const type = childText(answer.root, 'ChecksumType') ?? answer.headers['x-amz-checksum-type'];
      const isComparable = this.checksums !== 'none' && told !== undefined;
      if (!isComparable) return { headers: answer.headers, etag };
      const hasCrc32 = fitsParts(told, parts, type?.trim());
      return { headers: answer.headers, etag, hasCrc32, wrongCrc32: hasCrc32 ? undefined : told };
    };
    try {
      const { context } = this.#store.client;
      return await retry(ask, {
        tries: 2,
        what: `${request.doing} ${whereOf(request)}`,
        signal: op.signal,
        context,
        policy: unprovenPolicy,
        giveUp: (error) => error instanceof StoreError,
      });
    } catch (error) {
      const isRefused = isRefusedAgain(error);
      if (!isRefused && !hasS3Code(error, 'NoSuchUpload')) throw error;
      const marks = Object.entries(isRefused ? own : {});
      const etag = multipartEtag(parts);
      for (const ms of LATE_MS) {
        await this.#store.client.context.clock.sleep(ms, op.signal);
        const headers = await findHead(this.#store.client, this.#at, op);
        if (headers === undefined || etagOf(headers) !== etag) continue;
        if (marks.every(([name, value]) => headers[name] === value)) return { headers, etag };
      }
      throw error;
    }
  }

  /** Deletes the parts, also while the run ends. Never rejects; `false` if they may be left, which is logged. */
  async abort(): Promise<boolean> {
    const { bucket, key } = this.#at;
    const { client, settings } = this.#store;
    try {
      const op = { signal: AbortSignal.timeout(30_000) };
      await abortUpload(this.#store, bucket, key, this.id, op);
      return true;
    } catch (thrown) {
      const path = this.#store.toStandard(`${bucket}/${key}`);
      const fields = { why: toSyncerError(thrown), place: typedPath(settings.remote, path) };
      const { emit } = client.context;
      emit({ type: 'log', level: 'notice', path, code: 'upload-left', fields });
      return false;
    }
  }

  #request(
    method: 'PUT' | 'POST',
    more: {
      number?: number;
      headers?: Record<string, string>;
      body?: Buffer | undefined;
      sha256?: string | undefined;
    },
  ): S3Request {
    const { number, headers = {}, body, sha256 } = more;
    const query: [string, string][] = [['uploadId', this.id]];
    if (number !== undefined) query.unshift(['partNumber', String(number)]);
    return { method, ...this.#at, query, headers, body, sha256, doing: 'write' };
  }
}

/** The ETag of a copy. Throws `bad-answer` if there is none. */
export function toldEtag(root: XmlElement, request: S3Request): string {
  const etag = bareEtag(childText(root, 'ETag') ?? '');
  if (etag !== '') return etag;
  const text = `cannot ${request.doing} ${whereOf(request)}: the response has no ETag`;
  throw new SyncerError('bad-answer', text);
}

/** The id of a new upload. */
function uploadId(root: XmlElement, { bucket, key }: Location): string {
  const id = childText(root, 'UploadId');
  if (id !== undefined && id !== '') return id;
  const text = `cannot write ${bucket}/${key}: the response has no upload ID`;
  throw new SyncerError('bad-answer', text);
}

/** Amazon's ETag of an object of these parts: the MD5 of their MD5s, which are their ETags, and their number. */
export function multipartEtag(parts: readonly Pick<RecordedPart, 'etag'>[]): string {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
  return `${hash('md5', digests, 'hex')}-${parts.length}`;
}
