import type { FileEntry } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { type MimeTypes, systemMimeTypes } from '../../kit/mime-types.ts';
import { fromStandardPath, toStandardPath } from '../../kit/name-encoding.ts';
import { DataIntegrity } from './checksums/data-integrity.ts';
import type { S3Client } from './client/s3-client.ts';
import type { KeysAhead } from './listing/list-query.ts';
import { Lister } from './listing/lister.ts';
import { ListedEtags } from './objects/listed-etags.ts';
import type { S3Settings } from './settings.ts';

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
  /** Something was written. */
  hasWritten = false;

  constructor(client: S3Client, root: string, uploads?: UploadRecordsAccess) {
    this.client = client;
    this.uploads = uploads;
    this.settings = client.settings;
    this.root = root;
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
    const { anywhere, first, last, ...flags } = this.settings.encoding.rules;
    const encoding = [[...anywhere], [...first], [...last], flags];
    const place = [secure, hostname, port, basePath, this.client.credentials.account];
    return JSON.stringify(['s3', ...place, encoding]);
  }

  locate(path: string): Location {
    const full = fromStandardPath(this.settings.encoding, joinPath(this.root, path));
    return splitBucket(full);
  }

  /** The bucket and key of a listed file, which its path does not always show, and the version that it is. */
  locateFile({ path, id, version }: Pick<FileEntry, 'path' | 'id' | 'version'>): Location {
    const at = id === undefined ? this.locate(path) : splitBucket(id);
    return version === undefined || !this.showsVersions ? at : { ...at, version };
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
    return this.settings.encryption.etagIsNotMd5 || this.listedEtags.areMd5s(bucket) === false;
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
