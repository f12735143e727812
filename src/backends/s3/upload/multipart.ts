import { hash } from 'node:crypto';
import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { withBucket } from '../buckets/make-bucket.ts';
import { headerText, type S3Request } from '../client/request.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { readWhole } from '../http/read-body.ts';
import { etagOf } from '../objects/object-entry.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code, readErrorXml, StoreError } from '../store-error.ts';
import { stripQuotes } from '../xml/list-page.ts';
import { childText, readXml } from '../xml/read-xml.ts';

/** A part that has arrived. */
export interface DonePart {
  readonly number: number;
  readonly etag: string;
  /** In hexadecimal; `''` where it is not known (parts copied by the store). */
  readonly md5: string;
}

/** No answer to a completion is larger, in bytes. */
const LARGEST_ANSWER = 1024 ** 2;

/** How long an upload that failed may take to be undone, in milliseconds. */
const ABORT_MS = 30_000;

/** One upload in parts, from its creation to its completion. */
export class MultipartUpload {
  readonly #store: S3Store;
  readonly #at: Location;
  readonly #id: string;

  private constructor(store: S3Store, at: Location, id: string) {
    this.#store = store;
    this.#at = at;
    this.#id = id;
  }

  /** Begins an upload; makes the bucket where it is missing. */
  static async create(
    store: S3Store,
    at: Location,
    headers: Record<string, string>,
    op: Op,
  ): Promise<MultipartUpload> {
    const query = [['uploads', '']] as const;
    const request = { method: 'POST', ...at, query, headers, doing: 'write' } as const;
    const answer = await withBucket(store, at.bucket, op, () => store.client.call(request, op));
    const id = childText(await readXml(answer.body.toString('utf8')), 'UploadId');
    if (id === undefined || id === '') {
      throw new SyncerError('bad-answer', `cannot write ${at.bucket}/${at.key}: no upload id came`);
    }
    return new MultipartUpload(store, at, id);
  }

  /** Sends a part with its MD5. */
  async put(number: number, body: Buffer, op: Op): Promise<DonePart> {
    const digest = hash('md5', body, 'buffer');
    const headers = {
      'content-md5': digest.toString('base64'),
      ...customerKeyHeaders(this.#store.settings.encryption),
    };
    const request = this.#request('PUT', { number, headers, body });
    const answer = await this.#store.client.call(request, op);
    const md5 = digest.toString('hex');
    return { number, md5, etag: etagOf(answer.headers) ?? md5 };
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
    const list = parts
      .map(
        ({ number, etag }) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`,
      )
      .join('');
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list}</CompleteMultipartUpload>`,
    );
    const request = this.#request('POST', { headers: { 'content-type': 'application/xml' }, body });
    try {
      return await this.#store.client.open(request, op, async ({ incoming }) => {
        const text = (await readWhole(incoming, LARGEST_ANSWER, op.signal)).toString('utf8');
        const root = await readXml(text);
        if (root.name === 'Error') throw await errorInSuccess(text, this.#at);
        const etag = childText(root, 'ETag');
        return etag === undefined || etag === '' ? undefined : stripQuotes(etag);
      });
    } catch (error) {
      if (!hasS3Code(error, 'NoSuchUpload')) throw error;
      const etag = await this.#etagNow(op);
      if (etag === undefined || etag !== multipartEtag(parts)) throw error;
      return etag;
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
      const etag = headerText(answer.headers, 'etag');
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

/** The ETag that Amazon gives an object of these parts: the MD5 of their MD5s, and their number. */
export function multipartEtag(parts: readonly DonePart[]): string {
  const digests = Buffer.concat(parts.map(({ md5 }) => Buffer.from(md5, 'hex')));
  return `${hash('md5', digests, 'hex')}-${parts.length}`;
}

/** The error that stands in the body of an answer with status 200. */
export async function errorInSuccess(body: string, at: Location): Promise<SyncerError> {
  const where = `${at.bucket}/${at.key}`;
  const error = await readErrorXml(body);
  if (error === undefined) {
    return new SyncerError('bad-answer', `cannot write ${where}: the answer makes no sense`);
  }
  return new StoreError(
    { status: 200, s3Code: error.code, message: error.message },
    'write',
    where,
  );
}
