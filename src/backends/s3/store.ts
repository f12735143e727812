import type { PieceNotes, ProbeNotes } from '../../core/content-pieces.ts';
import { hasCode } from '../../core/errors.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { type MimeTypes, systemMimeTypes } from '../../names/mime-types.ts';
import { encodingId, fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';
import type { EarlierUploads } from '../backend.ts';
import type { HttpHeaders } from '../http/answer-parser.ts';
import type { S3Client } from './client/s3-client.ts';
import { DataIntegrity } from './data-integrity.ts';
import { DeltaUse } from './delta/delta-use.ts';
import { type KeysAhead, Lister } from './listing/lister.ts';
import { isKeyEncrypted, md5OfEtag } from './objects/object-entry.ts';
import type { S3Settings } from './settings.ts';
import { WriteHeaders } from './upload/write-headers.ts';

/** A bucket and key, in the server's own names. */
export interface Location {
  /** `''` for the service itself. */
  readonly bucket: string;
  /** `''` for the bucket itself. */
  readonly key: string;
  /** A version of the object, in a remote that shows versions. */
  readonly version?: string;
}

/** State shared by all operations of one remote: the client, the root, and what was learned about the server. */
export class S3Store {
  readonly client: S3Client;
  readonly settings: S3Settings;
  readonly root: string;
  readonly headers: WriteHeaders;
  readonly lister: Lister;
  /** Listings of trees of which more was listed than asked for, by their next page. */
  readonly listingsAhead = new Map<string, KeysAhead>();
  readonly integrity: DataIntegrity;
  readonly mimeTypeOf: MimeTypes = systemMimeTypes();
  readonly knownBuckets = new Set<string>();
  /** What the ETags in listings are, by bucket. */
  readonly listedEtags = new ListedEtags();
  readonly missingBuckets = new Set<string>();
  /** Whether the server was seen to lock what it `write`s and `copy`s by headers. */
  readonly locks = new Set<'write' | 'copy'>();
  /** Buckets and keys of the markers of directories that exist. */
  readonly knownMarkers = new Set<string>();
  /** Buckets being created, with the promise that concurrent writers wait for. */
  readonly bucketsInTheMaking = new Map<string, Promise<void>>();

  /** Records of unfinished uploads, if they may be resumed. */
  readonly uploads: UploadRecordsAccess | undefined;
  /** The pieces of large objects; absent where nothing is kept. */
  readonly pieces: (() => Promise<PieceNotes>) | undefined;
  /** What probes have shown; likewise. */
  readonly probes: (() => Promise<ProbeNotes>) | undefined;
  /** What was learned of uploads that copy a part of the object that they replace. */
  readonly delta = new DeltaUse();
  /** The server refused a request that deletes many objects. */
  refusesBatches = false;
  /** The server was seen to refuse the condition of copies. */
  refusesCopyConditions = false;
  /** Something was written. */
  hasWritten = false;
  /** The root, in the server's own names. */
  readonly #rootAt: Location;

  constructor(client: S3Client, root: string, earlier: EarlierUploads = {}) {
    this.client = client;
    this.uploads = earlier.uploads;
    this.pieces = earlier.pieces;
    this.probes = earlier.probes;
    this.settings = client.settings;
    this.root = root;
    this.#rootAt = splitBucket(fromStandardPath(this.settings.encoding, root));
    this.headers = new WriteHeaders(client);
    this.lister = new Lister(client);
    const { dataIntegrity, v2Auth, ibm } = client.settings;
    // Chunks are framed by the signature of version 4: an anonymous request has no trailer.
    const most =
      client.credentials.account === '' || v2Auth || ibm !== undefined ? 'headers' : 'trailers';
    const protection = dataIntegrity === undefined ? 'answers' : dataIntegrity ? most : 'none';
    this.integrity = new DataIntegrity(protection, client.context.emit);
  }

  /** The endpoint, the account, and how its names become paths. */
  get id(): string {
    const { secure, hostname, port, basePath } = this.settings.endpoint;
    const place = [secure, hostname, port, basePath, this.client.credentials.account];
    return JSON.stringify(['s3', ...place, encodingId(this.settings.encoding)]);
  }

  locate(path: string): Location {
    const root = this.#rootAt;
    if (path === '') return root;
    const own = fromStandardPath(this.settings.encoding, path);
    if (root.bucket === '') return splitBucket(own);
    return { bucket: root.bucket, key: root.key === '' ? own : `${root.key}/${own}` };
  }

  /** The bucket and key of a listed file, which its path does not always show, and the version that it is. */
  locateFile({ path, id, version }: Pick<FileEntry, 'path' | 'id' | 'version'>): Location {
    const at = id === undefined ? this.locate(path) : splitBucket(id);
    return version === undefined || !this.showsVersions ? at : { ...at, version };
  }

  /** The bucket of a listed file. */
  bucketOf(file: Pick<FileEntry, 'path' | 'id'>): string {
    return this.#rootAt.bucket === '' ? this.locateFile(file).bucket : this.#rootAt.bucket;
  }

  /** `Capabilities.hashesInDoubt`: the MD5 is the ETag of a listing, and the bucket may have ETags that are none. */
  hashesInDoubt(file: FileEntry): boolean {
    const { etag, hashes, toldAt } = file;
    const md5 = hashes?.md5;
    if (md5 === undefined || toldAt !== undefined) return false;
    if (md5 !== etag && md5 !== etag?.toLowerCase()) return false;
    return this.listedEtags.isMd5.get(this.bucketOf(file)) !== true;
  }

  /** Listings show versions, and files are versions of objects. */
  get showsVersions(): boolean {
    return this.settings.versions || this.settings.versionAtMs !== undefined;
  }

  /** Whether a file is not the current version of its path's object. */
  isOldVersion(file: Pick<FileEntry, 'path' | 'id' | 'version'>): boolean {
    const { key, version } = this.locateFile(file);
    return version !== undefined && key !== this.locate(file.path).key;
  }

  /** Whether no ETag of a bucket is an MD5, as far as is known. */
  etagIsNotMd5(bucket: string): boolean {
    return this.settings.encryption.etagIsNotMd5 || this.listedEtags.isMd5.get(bucket) === false;
  }

  /** A name or path of the server in syncer's form. */
  toStandard(name: string): string {
    return toStandardPath(this.settings.encoding, name);
  }
}

/** The bucket, or the ARN of an access point, and the key of a path. */
function splitBucket(path: string): Location {
  const from = path.startsWith('arn:')
    ? (/^arn:[^/]*:accesspoint\//.exec(path)?.[0].length ?? 0)
    : 0;
  const slash = path.indexOf('/', from);
  return slash < 0
    ? { bucket: path, key: '' }
    : { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

/** The prefix of a directory's keys. */
export function prefixOf({ key }: Location): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

/**
 * What the ETags in listings are worth. An ETag of 32 hexadecimal digits is an MD5, unless a key encrypts the object,
 * which only a response about it says. A bucket encrypts its objects by default, so one response shows it of all.
 */
class ListedEtags {
  /** By bucket; absent if unknown. */
  readonly isMd5 = new Map<string, boolean>();
  readonly #asked = new Map<string, Promise<unknown>>();

  /** Learns from the response about an object. A bucket may have objects of both kinds: then no ETag counts. */
  learn(bucket: string, headers: HttpHeaders, etag: string | undefined): void {
    if (this.isMd5.get(bucket) === false) return;
    if (isKeyEncrypted(headers)) this.isMd5.set(bucket, false);
    else if (md5OfEtag(etag) !== undefined) this.isMd5.set(bucket, true);
  }

  /** Asks once, however many wait; what cannot be asked counts as usual. */
  async ask(bucket: string, ask: () => Promise<unknown>): Promise<void> {
    let asking = this.#asked.get(bucket);
    if (asking === undefined) {
      asking = ask().catch((error) => {
        this.#asked.delete(bucket);
        if (!hasCode(error, 'access-denied', 'file-not-found')) throw error;
        if (hasCode(error, 'access-denied')) this.isMd5.set(bucket, true);
      });
      this.#asked.set(bucket, asking);
    }
    await asking;
    if (this.isMd5.get(bucket) === undefined) this.#asked.delete(bucket);
  }
}
