import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { collectBody } from '../../../core/body.ts';
import type { PartCopies } from '../../../core/content-pieces.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { BackendCall, Op } from '../../../core/remote.ts';
import { encodeCrc32 } from '../checksums.ts';
import { copySourceHeaders } from '../copy-object.ts';
import { deleteObject } from '../objects/delete-files.ts';
import { versionIn } from '../objects/object-entry.ts';
import { openObject } from '../objects/read-object.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { type CopiedPart, MultipartUpload } from '../upload/multipart.ts';

const MIB = 1024 ** 2;

/** What a probe prints. */
interface ProbeResult {
  /** A range of an object can be copied as a part. */
  readonly ranges: boolean;
  /** The copy is refused if the ETag of the source is another one. */
  readonly ifMatch: boolean;
  /** What the response to a copy proves it by. */
  readonly proof: 'crc32' | 'md5' | 'none';
  /** Copied and sent parts may have different sizes. */
  readonly unequalParts: boolean;
  /** Uploads will copy what has not changed. */
  readonly used: boolean;
  /** Why not. */
  readonly why?: string;
}

/**
 * Tries in a bucket whether uploads can copy parts of an object, with two objects of its own of 11 and 16 MiB, which it
 * deletes; later runs use what it shows. `undefined` if it may not.
 */
export async function probe(
  store: S3Store,
  bucket: string,
  { op, mayChange }: BackendCall,
): Promise<ProbeResult | undefined> {
  const place = store.locate('');
  const name = `${prefixOf(place)}syncer-probe-${randomBytes(6).toString('hex')}`;
  if (!(await mayChange('write and delete two objects of 27Mi in all', store.toStandard(name))))
    return undefined;
  const trial = new Trial(store, bucket, name);
  try {
    const found = await trial.copyRanges(op);
    const { proof, unequalParts, ifMatch } = found;
    const copiesParts = proof === 'none' ? 'none' : unequalParts ? 'any' : 'equal';
    const shown: PartCopies = { copiesParts, obeysIfMatch: ifMatch };
    const isStored = await (await store.probes?.())?.learn(store.id, bucket, shown);
    if (isStored) return { ...found, used: copiesParts !== 'none' };
    return { ...found, used: false, why: 'the result cannot be kept on this machine' };
  } finally {
    await trial.cleanUp();
  }
}

/** The old object: more than two parts' worth of bytes, of which ranges are copied. */
const OLD_SIZE = 11 * MIB;

class Trial {
  readonly #store: S3Store;
  readonly #old: Location;
  readonly #new: Location;
  readonly #content = randomBytes(OLD_SIZE);
  readonly #wantsChecksums: boolean;
  readonly #uploads: MultipartUpload[] = [];
  /** The versions to delete; `undefined` for one without an ID. */
  readonly #written: { readonly location: Location; readonly id: string | undefined }[] = [];

  constructor(store: S3Store, bucket: string, name: string) {
    this.#store = store;
    // Otherwise no ETag is an MD5.
    this.#wantsChecksums = store.settings.encryption.etagIsNotMd5;
    this.#old = { bucket, key: `${name}-old` };
    this.#new = { bucket, key: `${name}-new` };
  }

  async copyRanges(op: Op): Promise<Omit<ProbeResult, 'used'>> {
    const none = { ranges: false, ifMatch: false, proof: 'none', unequalParts: false } as const;
    const etag = await this.#writeOld(op);
    const upload = await this.#begin(this.#new, op);
    const ifMatch = await this.#refusesOtherEtag(upload, op);
    /** Not at the boundary of a part. */
    const from = MIB + 7;
    let copied: CopiedPart;
    try {
      copied = await this.#copy(upload, 1, from, 5 * MIB, etag, op);
    } catch (thrown) {
      op.signal.throwIfAborted();
      return { ...none, ifMatch, why: toSyncerError(thrown).message };
    }
    const expected = this.#content.subarray(from, from + 5 * MIB);
    const proof = proofOf(copied, expected);
    if (proof === 'none') {
      const why = 'the response to a copy has no checksum of the copied bytes';
      return { ...none, ranges: true, ifMatch, why };
    }
    const sent = randomBytes(6 * MIB);
    const tail = this.#content.subarray(0, 1000);
    const parts = [
      copied,
      await upload.put(2, sent, op),
      await this.#copy(upload, 3, 0, tail.length, etag, op),
    ];
    const whole = Buffer.concat([expected, sent, tail]);
    try {
      await this.#complete(upload, this.#new, parts, op);
      await this.#requireContent(whole, op);
      return { ranges: true, ifMatch, proof, unequalParts: true };
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (hasCode(thrown, 'corrupted')) throw thrown;
    }
    return {
      ranges: true,
      ifMatch,
      proof,
      unequalParts: false,
      ...(await this.#tryEqual(etag, op)),
    };
  }

  /** Deletes what it has written, also while the run ends. Never rejects: what is left is logged. */
  async cleanUp(): Promise<void> {
    const op = { signal: AbortSignal.timeout(30_000) };
    for (const upload of this.#uploads) await upload.abort();
    for (const { location, id } of this.#written) {
      try {
        await deleteObject(this.#store, { ...location, ...(id === undefined ? {} : { id }) }, op);
      } catch (thrown) {
        const { emit } = this.#store.client.context;
        const path = this.#store.toStandard(`${location.bucket}/${location.key}`);
        const fields = { error: toSyncerError(thrown), doing: 'delete' } as const;
        emit({ type: 'log', level: 'error', path, code: 'failed', fields });
      }
    }
  }

  async #begin(location: Location, op: Op): Promise<MultipartUpload> {
    const upload = await MultipartUpload.create(
      this.#store,
      location,
      {},
      this.#wantsChecksums,
      op,
    );
    this.#uploads.push(upload);
    return upload;
  }

  async #writeOld(op: Op): Promise<string> {
    const upload = await this.#begin(this.#old, op);
    const parts = [
      await upload.put(1, this.#content.subarray(0, 5 * MIB), op),
      await upload.put(2, this.#content.subarray(5 * MIB), op),
    ];
    const { etag } = await this.#complete(upload, this.#old, parts, op);
    if (etag !== undefined) return etag;
    throw new SyncerError('bad-answer', 'the response to an upload has no ETag');
  }

  /** All of them, or none, is under the name. */
  async #complete(
    upload: MultipartUpload,
    location: Location,
    parts: Parameters<MultipartUpload['complete']>[0],
    op: Op,
  ) {
    const completed = await upload.complete(parts, op);
    this.#uploads.splice(this.#uploads.indexOf(upload), 1);
    this.#written.push({ location, id: versionIn(completed.headers).version });
    return completed;
  }

  async #refusesOtherEtag(upload: MultipartUpload, op: Op): Promise<boolean> {
    try {
      await this.#copy(upload, 1, 0, 5 * MIB, 'f'.repeat(32), op);
      return false;
    } catch (thrown) {
      op.signal.throwIfAborted();
      return hasCode(thrown, 'precondition-failed');
    }
  }

  /** With parts of one size: two copied ones and a shorter one at the end. */
  async #tryEqual(etag: string, op: Op): Promise<Partial<ProbeResult>> {
    const upload = await this.#begin(this.#new, op);
    try {
      const sent = randomBytes(1000);
      const parts = [
        await this.#copy(upload, 1, 0, 5 * MIB, etag, op),
        await this.#copy(upload, 2, 5 * MIB, 5 * MIB, etag, op),
        await upload.put(3, sent, op),
      ];
      await this.#complete(upload, this.#new, parts, op);
      await this.#requireContent(Buffer.concat([this.#content.subarray(0, 10 * MIB), sent]), op);
      return {};
    } catch (thrown) {
      op.signal.throwIfAborted();
      return { proof: 'none', why: toSyncerError(thrown).message };
    }
  }

  async #copy(
    upload: MultipartUpload,
    number: number,
    from: number,
    size: number,
    etag: string,
    op: Op,
  ) {
    const headers = {
      ...copySourceHeaders(this.#store, this.#old),
      ...this.#store.settings.encryption.keyHeaders,
      'x-amz-copy-source-if-match': `"${etag}"`,
    };
    const copied = await upload.copy(number, from, size, headers, op);
    const crc = crc32(this.#content.subarray(from, from + size));
    return upload.checksums === 'none' ? copied : { ...copied, crc32: crc };
  }

  async #requireContent(expected: Buffer, op: Op): Promise<void> {
    const { bucket, key } = this.#new;
    const id = `${bucket}/${key}`;
    const file = { kind: 'file', path: key, id, size: expected.length } as const;
    const { body } = await openObject(this.#store, file, undefined, op);
    const content = await collectBody(body, op.signal);
    if (content.equals(expected)) return;
    throw new SyncerError('corrupted', `${id}: an object of copied and sent parts has other bytes`);
  }
}

/** How a response proves that these bytes were copied. */
function proofOf(
  { etag, copiedCrc32 }: Pick<CopiedPart, 'etag' | 'copiedCrc32'>,
  expected: Buffer,
): ProbeResult['proof'] {
  if (copiedCrc32 === encodeCrc32(crc32(expected))) return 'crc32';
  return etag.toLowerCase() === createHash('md5').update(expected).digest('hex') ? 'md5' : 'none';
}
