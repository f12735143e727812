import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { alike, around, innermost } from '../../core/around.ts';
import { openWithDetails } from '../../core/body.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import { membersOf } from '../../core/members.ts';
import {
  type Body,
  type Capabilities,
  type Details,
  type Entry,
  type FileEntry,
  mostDeleted,
  type Op,
  type Remote,
} from '../../core/remote.ts';
import { parentPath } from '../../core/remote-path.ts';
import type { OpenParams } from '../backend.ts';
import { cutOut } from '../http/answer.ts';
import { OptionReader } from '../option-reader.ts';
import { encodeUri } from '../s3-protocol/uri-encoding.ts';
import { backendCommands } from './backend-commands.ts';
import { bucketExists, deleteBucket, listBuckets, makeBucket } from './buckets.ts';
import { S3Client } from './client/s3-client.ts';
import {
  copyObject,
  copyWithin,
  restoreVersion,
  restoringObjects,
  setObjectModTime,
} from './copy-object.ts';
import { credentialSource } from './credentials.ts';
import { mayCopyParts } from './delta/find-delta.ts';
import { keepsUnchanged } from './delta/unread-bytes.ts';
import { addressOf } from './endpoint.ts';
import { abortOldUploads } from './listing/history.ts';
import { isMarker, listEntries, listTree, listUnordered } from './listing/list-entries.ts';
import { listKept, listShown, refuseOldVersion } from './listing/shown-versions.ts';
import {
  deleteFiles,
  deleteKept,
  isPast,
  purgeDir,
  purgeVersions,
  takeBack,
} from './objects/delete-files.ts';
import { deleteMarker, makeMarkers } from './objects/directory-markers.ts';
import { confirmHashes, headObject, headWithChecksum, statPath } from './objects/head-object.ts';
import { fileFromHeaders } from './objects/object-entry.ts';
import { openObject } from './objects/read-object.ts';
import { S3_OPTIONS } from './options.ts';
import { s3Identity, s3Place, storeTitle } from './s3-place.ts';
import { readProfileRegion, readSettings } from './settings.ts';
import { type Location, S3Store } from './store.ts';
import { lockWritten } from './upload/object-lock.ts';
import { dropOldUploads } from './upload/open-upload.ts';
import { placementHeaders } from './upload/write-headers.ts';
import { uploadMemory, writeObject } from './upload/write-object.ts';

/** The stores of the remotes here: the server copies between two of them. */
const stores = new WeakMap<Remote, S3Store>();

/** A bucket, a prefix in one, or a whole account, as a `Remote`. Directories are the parts of keys before a slash. */
export function s3Remote(store: S3Store): Remote {
  const { name, directoryMarkers, directoryBucket, noCheckBucket, objectLock } = store.settings;
  const { uploadCutoff, chunkSize } = store.settings;
  const remote: Remote = {
    name,
    root: store.root,
    storeId: store.id,
    title: storeTitle(store.root),
    traits: {
      hashes: ['md5'],
      slowHash: false,
      modTimePrecision: 1n,
      slowModTime: true,
      caseInsensitive: false,
      emptyDirs: directoryMarkers,
      bucketBased: true,
      onDisk: false,
      sortedPages: !directoryBucket,
      requests: { wholeUpTo: uploadCutoff, part: chunkSize },
    },
    can: capabilitiesOf(store),
    // "Creating object key names" of Amazon S3.
    isTooLong: (path) => Buffer.byteLength(store.locate(path).key) > 1024,
    async listPage(dir, cursor, op) {
      const location = store.locate(dir);
      if (location.bucket === '') return { entries: await listBuckets(store, op) };
      if (store.showsVersions) return listShown(store, location, dir, op);
      return listEntries(store, { location, dir, cursor }, false, op);
    },
    stat: (path, op) => statPath(store, path, op),
    read: async (file, range, op) => (await openObject(store, file, range, op)).body,
    async write(source, op) {
      if (directoryMarkers) await makeMarkers(store, parentPath(source.path), op);
      const written = await writeObject(store, source, op);
      if (objectLock !== undefined) await lockWritten(store, written, source.metadata, 'write', op);
      if (written.version !== undefined) tellVersion(written.path, written.version, op);
      return written;
    },
    delete: (files, op, how) => deleteFiles(store, files, op, how?.ifUnchanged),
    async makeDir(dir, op) {
      const { bucket } = store.locate(dir);
      if (bucket === '') return;
      if (directoryBucket && !store.knownBuckets.has(bucket)) {
        if (!(await bucketExists(store, bucket, op))) {
          const advice = 'create it in the console of AWS: directory buckets belong to a zone';
          const text = `bucket ${bucket} does not exist`;
          throw new SyncerError('bucket-not-found', text, { advice });
        }
      }
      const exists = noCheckBucket || (await bucketExists(store, bucket, op));
      if (!exists) await makeBucket(store, bucket, op);
      if (directoryMarkers) await makeMarkers(store, dir, op);
    },
    /** Of a bucket, or the marker of an empty directory; a prefix without keys does not exist, as in rclone. */
    async deleteDir(dir, op) {
      const { bucket, key } = store.locate(dir);
      if (bucket === '') {
        const text = 'the root of an account cannot be removed; name a bucket';
        throw new SyncerError('not-empty', text);
      }
      if (key === '') await deleteBucket(store, bucket, op);
      else await deleteMarker(store, dir, op);
    },
    async close() {
      const { client, hasWritten, listingsAhead } = store;
      for (const listing of listingsAhead.values()) listing.end();
      if (hasWritten && !client.context.signal.aborted) await dropOldUploads(store);
      client.close();
    },
  };
  stores.set(remote, store);
  return remote;
}

function capabilitiesOf(store: S3Store): Capabilities {
  const { hasTiers, directoryMarkers, directoryBucket, noHeadObject, encryption } = store.settings;
  const { secure, host, path } = addressOf(store.settings.endpoint, '', '');
  const identity = s3Identity(store);
  /** Operations on many current objects at once. */
  const whole: Capabilities = {
    purge: (dir, op) => purgeDir(store, dir, op),
    purgeUnlisted: (dir, op) => purgeDir(store, dir, op, isMarker),
    deletesAtOnce: mostDeleted,
    ...(!directoryBucket && {
      listTreePage: (dir, cursor, op, range) => listTree(store, dir, cursor, op, range),
    }),
    listTreeUnordered: (dir, atOnce, op) => listUnordered(store, dir, atOnce, op),
  };
  const reading: Capabilities = {
    place: s3Place(store),
    details: {
      ...(noHeadObject ? {} : { checksums: true }),
      body: true,
      async read(file, op, { checksums = false, onBody } = {}) {
        if (onBody === undefined) {
          return checksums
            ? headWithChecksum(store, file, op)
            : headObject(store, file.path, op, file);
        }
        const { body, headers } = await openObject(store, file, undefined, op);
        onBody(body);
        return fileFromHeaders(file.path, headers, encryption.etagIsNotMd5, file);
      },
    },
    async hash(file, name, op) {
      if (name !== 'md5' || file.kept !== undefined) return undefined;
      const { hashes } = await confirmHashes(store, file, op);
      return hashes?.md5 ?? (await headObject(store, file.path, op, file)).hashes?.md5;
    },
    hashesInDoubt: (file) => store.hashesInDoubt(file),
    confirmHashes: (file, op) => confirmHashes(store, file, op),
    publicLink: (entry, expireMs) => presignObject(store, entry, expireMs),
  };
  const commands = backendCommands(store);
  if (store.settings.versionAtMs !== undefined) {
    const names = ['restore-status', 'list-multipart-uploads'];
    const shown = Object.entries(commands).filter(([name]) => names.includes(name));
    const past = Object.fromEntries(shown);
    return { ...reading, commands: past, purge: (dir, op) => purgeVersions(store, dir, op) };
  }
  return {
    ...reading,
    writeMemory: ({ size }) => uploadMemory(size, store.settings),
    writesIfUnchanged: true,
    keepsUnchanged: (source) => keepsUnchanged(store, source),
    mayCopyParts: (old, size) => mayCopyParts(store, old, size),
    setModTime: (file, modTime, op) => setObjectModTime(store, file, modTime, op),
    copyFrom: async (from, file, path, op, keep) => {
      const source = stores.get(innermost(from));
      if (source === undefined) return undefined;
      if (directoryMarkers) await makeMarkers(store, parentPath(path), op);
      const copied = await copyWithin(source, store, file, path, op, keep);
      if (copied?.version !== undefined) tellVersion(path, copied.version, op);
      return copied;
    },
    restoring: restoringObjects(store),
    takeBack: (file, { since }, op) => takeBack(store, file, since, op),
    ...(hasTiers && { setTier: (file, tier, op) => setStorageClass(store, file, tier, op) }),
    cleanUp: (maxAgeMs, op) => abortOldUploads(store, maxAgeMs, op),
    commands,
    listKept: (dir, op) => listKept(store, dir, op),
    listUploads: (path, op) => listKept(store, path, op, 'uploads'),
    listVersions: (path, op) => listKept(store, path, op, 'versions'),
    restoreKept: (file, op) => restoreVersion(store, file, op),
    deleteKept: (files, op) => deleteKept(store, files, op),
    inspection: {
      ...(identity === undefined ? {} : { identity }),
      url: `${secure ? 'https' : 'http'}://${host}${path}`,
      async offline() {
        const { missingCredentials } = await import('./inspect-bucket.ts');
        return missingCredentials(store.settings, store.client.env);
      },
      async *findings(op) {
        const { inspectBucket } = await import('./inspect-bucket.ts');
        yield* inspectBucket(store, op);
      },
    },
    ...(store.showsVersions ? { purge: (dir, op) => purgeVersions(store, dir, op) } : whole),
  };
}

/** Reports that the bucket keeps the version before: under this one. */
function tellVersion(path: string, version: string, { change }: Op): void {
  change?.onKept?.(path, { in: 'versions', id: version });
}

/** The remote at a time in the past, which cannot be changed. */
function readOnly(remote: Remote): Remote {
  const refuse = async (): Promise<never> => {
    throw isPast();
  };
  return around(remote, 's3-past', {
    ...alike(membersOf('says', 'lists', 'reads'), 'passes'),
    ...alike(membersOf('changes'), () => refuse),
    // Only commands that read are left, and such a URL is made without a request.
    ...alike(['commands.run', 'publicLink'], 'passes'),
    makeDir: () => async () => {},
  });
}

/** Changes the storage class, unless it is the same, by copying the object onto itself with all its metadata. */
async function setStorageClass(store: S3Store, file: FileEntry, tier: string, op: Op) {
  refuseOldVersion(store, file);
  const storageClass = tier.toUpperCase();
  // The server refuses a copy that changes nothing.
  if (file.tier?.toUpperCase() === storageClass) return;
  const { bucket, key } = store.locateFile(file);
  const at = { bucket, key };
  const placement = placementHeaders({ ...store.settings, storageClass });
  await copyObject(store, { from: at, to: at, file, placement }, file.path, op);
}

/** A URL for `expireMs`, at most a week. Rejects with `file-not-found` for a prefix, with `usage` without time. */
async function presignObject(store: S3Store, entry: Entry, expireMs = Number.POSITIVE_INFINITY) {
  const { client, root } = store;
  const { bucket, key, version }: Location =
    entry.kind === 'file' ? store.locateFile(entry) : store.locate(entry.path);
  if (entry.kind === 'dir') {
    const what = `${bucket}${key === '' ? '' : `/${key}`}`;
    const code = key === '' ? 'not-a-file' : 'file-not-found';
    throw new SyncerError(code, `no object ${what}: S3 links point to single objects`);
  }
  const { endpoint, region } = client.regions.of(bucket);
  const { secure, host, path, hostBucket } = addressOf(endpoint, bucket, key);
  const url = `${secure ? 'https' : 'http'}://${host}${path}`;
  const now = client.clock.now();
  const { signer, credentials: keys } = client.signing(bucket, now);
  const credentials = await keys;
  if (credentials === undefined)
    return version === undefined ? url : `${url}?versionId=${encodeUri(version)}`;
  const query = version === undefined ? [] : [['versionId', version] as const];
  const request = { method: 'GET', path, query, headers: { host }, hostBucket };
  // A link of a directory bucket ends with the session that signed it.
  const isOfSession = store.settings.directoryBucket && credentials.expiresMs !== undefined;
  const most = isOfSession ? (credentials.expiresMs ?? 0) - now : 604_800_000;
  if (expireMs <= 0) {
    const text = 'a link can only expire in the future: --expire must be above 0';
    throw new SyncerError('usage', text);
  }
  if (expireMs > most) {
    // As in rclone.
    const event = { code: 'link-shortened', fields: { from: expireMs, to: most } } as const;
    client.context.emit({ type: 'log', level: 'notice', path: storeTitle(root), ...event });
  }
  const seconds = Math.ceil(Math.min(expireMs, most) / 1000);
  return `${url}?${signer.presignQuery(request, credentials, region, seconds, now)}`;
}

/** Opens an S3 remote at `bucket/prefix`, or at `''` for all buckets. Throws `config`; makes no request. */
export async function open(params: OpenParams): Promise<Remote> {
  const { name, root, options, context, transport } = params;
  const { env } = transport;
  const read = new OptionReader(name, options, S3_OPTIONS);
  // The shared configuration file is read only if its region is used.
  const isTold = read.text('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const isOfFile = !isTold && read.bool('env_auth');
  const region = isOfFile ? await readProfileRegion(read.text('profile'), env) : '';
  const settings = readSettings(name, options, env, region, context.clock.now());
  const { optionsNow } = params;
  const settingsNow =
    optionsNow &&
    (async () => readSettings(name, await optionsNow(), env, region, context.clock.now()));
  // One login for all remotes of the section. Tokens of IBM are requested by the client itself.
  const login = JSON.stringify(['s3', name, options]);
  const credentials =
    settings.ibm === undefined
      ? params.shared?.(login, () => credentialSource(settings, undefined, settingsNow))
      : undefined;
  const client = new S3Client(settings, transport, context, credentials);
  const remote = s3Remote(new S3Store(client, root.replace(/^\/+|\/+$/g, ''), params));
  const shown = settings.versionAtMs === undefined ? remote : readOnly(remote);
  return settings.decompress ? decompressing(shown) : shown;
}

/**
 * The remote with objects whose Content-Encoding is gzip shown as what is in them (option `decompress`): of unknown
 * size, and without hashes. Only a lookup shows the encoding, so each listed file is looked up.
 */
function decompressing(remote: Remote): Remote {
  const { details } = remote.can;
  if (details === undefined) return remote;
  const read: Details['read'] = async (file, op, { onBody } = {}) => {
    if (onBody === undefined) return shown(await details.read(file, op));
    const found = await openWithDetails(details, file, op);
    const content = () => inflated(streamOf(found.body), file.path);
    onBody(isGzip(found.file) ? Readable.from(content(), { objectMode: false }) : found.body);
    return shown(found.file);
  };
  const shownDetails: Details = { body: true, read };
  const lookUp = async (entry: Entry, op: Op): Promise<Entry[]> => {
    if (entry.kind === 'dir') return [entry];
    try {
      return [await read(entry, op)];
    } catch (error) {
      // It was deleted since it was listed.
      if (hasCode(error, 'file-not-found')) return [];
      throw error;
    }
  };
  return around(remote, 's3-decompressed', {
    ...alike(membersOf('says', 'changes'), 'passes'),
    // None of these is about the content of a current object, but those below.
    ...alike(
      [
        ...(['place.anchor', 'place.lineage', 'place.views', 'inspection.findings'] as const),
        ...(['restoring.keeps', 'restoring.find', 'restoring.isInBin', 'readDirMetadata'] as const),
        ...(['foreignIn', 'unlistedAt', 'changes', 'watch', 'about', 'userInfo'] as const),
        ...(['listKept', 'listUploads', 'listVersions'] as const),
      ],
      'passes',
    ),
    // S3 has none of these.
    ...alike(
      ['fetch', 'confirmSize', 'hashes', 'hashMany', 'pieces.md5s', 'pieces.cuts'],
      'passes',
    ),
    ...alike(['listDirs', 'listUsage', 'takeUsage'], 'passes'),
    // The hashes that a listing had are left out.
    confirmHashes: 'passes',
    // They are listed without a look at each.
    ...alike(['listTreePage', 'listTreeUnordered', 'details.checksums'], 'hides'),
    listPage: () => async (dir, cursor, op) => {
      const page = await remote.listPage(dir, cursor, op);
      const found = await mapAtOnce(page.entries, 16, (entry) => lookUp(entry, op));
      return { ...page, entries: found.flat() };
    },
    stat: () => async (path, op) => {
      const entry = await remote.stat(path, op);
      return entry === undefined ? undefined : (await lookUp(entry, op))[0];
    },
    read: () => async (file, range, op) => {
      if (file.size >= 0) return remote.read(file, range, op);
      const { body } = await openWithDetails(shownDetails, file, op);
      return range === undefined ? body : cutOut(streamOf(body), range);
    },
    'details.read': () => shownDetails.read,
    'details.body': { adds: true },
    hash: (hash) => async (file, name, op) => (file.size < 0 ? undefined : hash(file, name, op)),
  });
}

/** Whether the stored content is compressed. `aws-chunked` is only how it was sent; some servers keep the word. */
function isGzip({ metadata }: FileEntry): boolean {
  const encodings = (metadata?.['content-encoding'] ?? '').split(',').map((one) => one.trim());
  return encodings.filter((one) => one !== 'aws-chunked' && one !== '').join() === 'gzip';
}

/** The file as it is after decompression; a copy of it elsewhere is not encoded. */
function shown(file: FileEntry): FileEntry {
  if (!isGzip(file)) return file;
  const { hashes: _hashes, partsMd5: _parts, metadata = {}, ...kept } = file;
  const { 'content-encoding': _encoding, ...plain } = metadata;
  return { ...kept, size: -1, metadata: plain };
}

async function* inflated(source: Readable, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip);
  } catch (error) {
    if (error instanceof SyncerError) throw error;
    const why = toSyncerError(error).message;
    const text = `its Content-Encoding is gzip, but it cannot be decompressed: ${why}`;
    throw new SyncerError('corrupted', text, { path, cause: error });
  } finally {
    source.destroy();
  }
}

const streamOf = (body: Body): Readable => (Buffer.isBuffer(body) ? Readable.from([body]) : body);
