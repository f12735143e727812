import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { readWhole } from '../../../http/read-body.ts';
import { withBucket } from '../buckets/make-bucket.ts';
import { CRC32_HEADER, encodeCrc32 } from '../checksums/crc32.ts';
import {
  ASK_FOR_CHECKSUMS,
  answeredChecksums,
  fitsParts,
  type UploadChecksums,
  wholeHeaders,
} from '../checksums/upload-checksums.ts';
import type { S3Answer, S3Request } from '../client/request.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { etagOf, toldAt } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code } from '../store-error.ts';
import { stripQuotes } from '../xml/list-page.ts';
import { childText, readXml } from '../xml/read-xml.ts';
import { completionDocument, type DonePart, multipartEtag } from './done-part.ts';
import { errorInSuccess } from './error-in-success.ts';
import { withLastWord } from './last-word.ts';

/** No answer to a completion is larger, in bytes. */
const LARGEST_ANSWER = 1024 ** 2;

/** How long to wait before each look at what a completion made whose answer was lost: it may be under way still. */
const LATE_MS = [0, 250, 1000, 2000];

/** How long an upload that failed may take to be undone, in milliseconds. */
const ABORT_MS = 30_000;

/** One upload in parts, from its creation to its completion. */
export class MultipartUpload {
  readonly #store: S3Store;
  readonly #at: Location;
  readonly #id: string;
  readonly #checksums: UploadChecksums;
  /** When the store answered the completion, as part of an entry. */
  answered: Pick<FileEntry, 'toldAt'> = {};

  private constructor(store: S3Store, at: Location, id: string, checksums: UploadChecksums) {
    this.#store = store;
    this.#at = at;
    this.#id = id;
    this.#checksums = checksums;
  }

  /**
   * Begins an upload; makes the bucket where it is missing. With `wantsChecksums` every part is sent by `put`, and is
   * protected by its CRC-32 where the store says that it knows that. An upload that was begun while the run is being
   * ended is given up.
   */
  static create(
    store: S3Store,
    at: Location,
    headers: Record<string, string>,
    wantsChecksums: boolean,
    op: Op,
  ): Promise<MultipartUpload> {
    return withLastWord(
      op,
      (asking) => MultipartUpload.#begin(store, at, headers, wantsChecksums, asking),
      (upload) => upload.abort(),
    );
  }

  static async #begin(
    store: S3Store,
    at: Location,
    headers: Record<string, string>,
    wantsChecksums: boolean,
    op: Op,
  ): Promise<MultipartUpload> {
    const query = [['uploads', '']] as const;
    const request = { method: 'POST', ...at, query, headers, doing: 'write' } as const;
    const begin = (more: Readonly<Record<string, string>>) => {
      const asking = { ...request, headers: { ...headers, ...more } };
      return withBucket(store, at.bucket, op, () => store.client.call(asking, op));
    };
    let checksums: UploadChecksums = 'none';
    const answer = await (wantsChecksums
      ? store.integrity.ask(async (isOn) => {
          const begun = await begin(isOn ? ASK_FOR_CHECKSUMS : {});
          checksums = isOn ? answeredChecksums(begun.headers) : 'none';
          if (!isOn || checksums !== 'none') return begun;
          store.integrity.limitTo('none', 'it ignores them');
          // It may have taken note of what it does not answer, and refuse parts without.
          await new MultipartUpload(store, at, await uploadId(begun, at), 'none').abort();
          return begin({});
        })
      : begin({}));
    return new MultipartUpload(store, at, await uploadId(answer, at), checksums);
  }

  /**
   * Sends a part with its CRC-32 where the store knows that, else with its MD5, which costs six times as much. A CRC-32
   * does not protect from people: without TLS the SHA-256 of such a part is signed, too.
   */
  async put(number: number, body: Buffer, op: Op): Promise<DonePart> {
    const { encryption } = this.#store.settings;
    const checksum =
      this.#checksums === 'none' ? undefined : { crc32: crc32(body), size: body.length };
    const digest = checksum === undefined ? hash('md5', body, 'buffer') : undefined;
    const headers = {
      ...(digest === undefined ? {} : { 'content-md5': digest.toString('base64') }),
      ...(checksum === undefined ? {} : { [CRC32_HEADER]: encodeCrc32(checksum.crc32) }),
      ...customerKeyHeaders(encryption),
    };
    const request = this.#request('PUT', { number, headers, body });
    const answer = await this.#store.client.call(request, op);
    const md5 = digest?.toString('hex') ?? '';
    const etag = etagOf(answer.headers) ?? (md5 || hash('md5', body, 'hex'));
    return { number, md5, etag, ...(checksum === undefined ? {} : { checksum }) };
  }

  /** Lets the store copy a part; `headers` say from where. */
  async copy(number: number, headers: Record<string, string>, op: Op): Promise<DonePart> {
    const answer = await this.#store.client.call(this.#request('PUT', { number, headers }), op);
    const body = answer.body.toString('utf8');
    const etag = childText(await readXml(body), 'ETag');
    if (etag === undefined) throw await errorInSuccess(body, this.#at);
    return { number, md5: '', etag: stripQuotes(etag) };
  }

  /**
   * Makes the object of its parts; gives its ETag where the store tells it. A completion whose answer was lost
   * counts as done when the object that is there now has the ETag these parts make.
   */
  async complete(parts: readonly DonePart[], op: Op): Promise<string | undefined> {
    const body = completionDocument(parts);
    const sums = parts.flatMap(({ checksum }) => (checksum === undefined ? [] : [checksum]));
    const headers = {
      'content-type': 'application/xml',
      ...(this.#checksums === 'whole' ? wholeHeaders(sums) : {}),
    };
    const request = this.#request('POST', { headers, body });
    try {
      return await this.#store.client.open(request, op, async (answer) => {
        this.answered = toldAt(answer.headers);
        const text = (await readWhole(answer, LARGEST_ANSWER)).toString('utf8');
        const root = await readXml(text);
        if (root.name === 'Error') throw await errorInSuccess(text, this.#at);
        const told = childText(root, 'ChecksumCRC32');
        if (this.#checksums !== 'none' && told !== undefined && !fitsParts(told, sums)) {
          const { bucket, key } = this.#at;
          const text = `${bucket}/${key}: the store holds other content: CRC-32 ${told}`;
          throw new SyncerError('corrupted', text);
        }
        const etag = childText(root, 'ETag');
        return etag === undefined || etag === '' ? undefined : stripQuotes(etag);
      });
    } catch (error) {
      if (!hasS3Code(error, 'NoSuchUpload')) throw error;
      const etag = multipartEtag(parts);
      for (const ms of LATE_MS) {
        await this.#store.client.context.clock.sleep(ms, op.signal);
        if ((await this.#etagNow(op)) === etag) return etag;
      }
      throw error;
    }
  }

  /** Throws the parts away; never rejects. Also when the run is being ended. */
  async abort(): Promise<void> {
    const op = { signal: AbortSignal.timeout(ABORT_MS) };
    await this.#store.client.call(this.#request('DELETE', {}), op).catch(() => {});
  }

  async #etagNow(op: Op): Promise<string | undefined> {
    const headers = customerKeyHeaders(this.#store.settings.encryption);
    const request = { method: 'HEAD', ...this.#at, headers, doing: 'look at' } as const;
    try {
      const answer = await this.#store.client.call(request, op);
      const etag = answer.headers['etag'];
      return etag === undefined ? undefined : stripQuotes(etag);
    } catch (error) {
      if (hasCode(error, 'file-not-found')) return undefined;
      throw error;
    }
  }

  #request(
    method: 'PUT' | 'POST' | 'DELETE',
    more: { number?: number; headers?: Record<string, string>; body?: Buffer },
  ): S3Request {
    const { number, headers = {}, body } = more;
    const query: [string, string][] = [['uploadId', this.#id]];
    if (number !== undefined) query.unshift(['partNumber', String(number)]);
    return {
      method,
      ...this.#at,
      query,
      headers,
      ...(body === undefined ? {} : { body }),
      doing: method === 'DELETE' ? 'give up writing' : 'write',
    };
  }
}

/** The id that a store gave an upload. */
async function uploadId({ body }: S3Answer, { bucket, key }: Location): Promise<string> {
  const id = childText(await readXml(body.toString('utf8')), 'UploadId');
  if (id !== undefined && id !== '') return id;
  throw new SyncerError('bad-answer', `cannot write ${bucket}/${key}: no upload id came`);
}
