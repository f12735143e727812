import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { BackendCall, Capabilities, Op } from '../../core/remote.ts';
import { parseDuration } from '../../go/quantities.ts';
import { childText } from '../s3-protocol/read-xml.ts';
import { askPages, type ListingPage } from './client/ask.ts';
import { probe } from './delta/probe.ts';
import {
  abortOldUploads,
  type ListedVersion,
  placesIn,
  restoreIn,
  uploadPages,
  versioningStatus,
  versionsBelow,
  versionsByKey,
  WITH_RESTORES,
} from './listing/history.ts';
import { shownVersions, versionKey } from './listing/shown-versions.ts';
import { deleteObject } from './objects/delete-files.ts';
import { prefixOf, type S3Store } from './store.ts';
import { buildKey, type ListedKey } from './xml/read-answer.ts';
import { escapeXml, xmlBody } from './xml/write-document.ts';

/** The commands of an S3 remote, with the names and results of rclone's. */
export function backendCommands(store: S3Store): NonNullable<Capabilities['commands']> {
  return {
    cleanup: {
      summary: 'Abort unfinished multipart uploads',
      options: { 'max-age': 'Only those older than this; 24h by default' },
      async run({ options, op, mayChange }) {
        const age = options.get('max-age');
        const nowMs = store.client.context.clock.now();
        const ms = age === undefined ? 86_400_000 : parseDuration(age, nowMs);
        if (await mayChange('abort old uploads', store.root)) await abortOldUploads(store, ms, op);
      },
    },
    'cleanup-hidden': {
      summary: 'Delete old versions and delete markers for good; current objects stay',
      run: (call) => cleanUpHidden(store, call),
    },
    'list-multipart-uploads': {
      summary: 'List unfinished multipart uploads by bucket',
      run: ({ op }) => listUploads(store, op),
    },
    probe: {
      summary: 'Try whether uploads can copy unchanged parts of large objects',
      run: (call) => probe(store, bucketOf(store), call),
    },
    restore: {
      summary: 'Restore archived objects; filters select them',
      options: {
        description: 'Description of the job',
        lifetime: 'How long the copy is kept, in days; only for GLACIER and DEEP_ARCHIVE',
        priority: 'Standard, Expedited or Bulk',
      },
      takesFile: true,
      run: (call) => restore(store, call),
    },
    'restore-status': {
      summary: 'List objects that are being restored or have been',
      options: { all: 'List all objects' },
      run: ({ op, options }) => restoreStatus(store, options.has('all'), op),
    },
    versioning: {
      summary: 'Print or set the versioning of a bucket',
      usage: '[Enabled|Suspended]',
      run: (call) => versioning(store, call),
    },
  };
}

/** Deletes what is not current; a delete marker only after what it hides: otherwise the object would be back. */
async function cleanUpHidden(store: S3Store, call: BackendCall): Promise<undefined> {
  const place = store.locate('');
  if ((await versioningStatus(store, bucketOf(store), call.op)) === 'Unversioned') return;
  for await (const ofKey of versionsByKey(store, versionsBelow(place), call.op)) {
    const old = ofKey.filter(({ kind }) => kind === 'old');
    const markers = ofKey.filter(({ kind }) => kind.endsWith('marker')).reverse();
    let isWhole = true;
    for (const { kind, key, id, size, modifiedMs = 0 } of [...old, ...markers]) {
      if (kind !== 'old' && !isWhole) break;
      const name = versionKey(key, modifiedMs).slice(prefixOf(place).length);
      const path = store.toStandard(name);
      const version = { kind: 'file', path, size, kept: { kind, id } } as const;
      const destroy = () => deleteObject(store, { bucket: place.bucket, key, id }, call.op);
      if (!(await call.lose(version, destroy))) isWhole = false;
    }
  }
}

async function listUploads(store: S3Store, op: Op) {
  const found: Record<string, unknown[]> = {};
  for (const place of await placesIn(store, op)) {
    const uploads: unknown[] = [];
    found[store.toStandard(place.bucket)] = uploads;
    for await (const page of uploadPages(store, place, op)) {
      for (const { key, id, begunMs, storageClass, initiator, owner } of page.uploads) {
        uploads.push({
          ChecksumAlgorithm: '',
          ChecksumType: '',
          Initiated: Number.isNaN(begunMs) ? null : new Date(begunMs).toISOString(),
          Initiator: initiator,
          Key: key,
          Owner: owner,
          StorageClass: storageClass,
          UploadId: id,
        });
      }
    }
  }
  return found;
}

async function restore(store: S3Store, { options, op, files, mayChange }: BackendCall) {
  const days = options.get('lifetime');
  if (days && !/^\d{1,9}$/.test(days)) {
    throw new SyncerError('usage', `-o lifetime: must be a number of days, not "${days}"`);
  }
  const element = (name: string, text: string | undefined) =>
    text ? `<${name}>${escapeXml(text)}</${name}>` : '';
  const tier = element('Tier', options.get('priority'));
  const archived = ['GLACIER', 'DEEP_ARCHIVE', 'INTELLIGENT_TIERING'];
  const found: { Status: string; Remote: string }[] = [];
  for await (const page of files()) {
    for (const file of page) {
      let Status = 'OK';
      if (!(await mayChange('restore', file.path, file.size))) {
        // As in rclone, what is skipped is OK.
      } else if (!archived.includes(file.tier ?? '')) {
        Status = 'Not GLACIER or DEEP_ARCHIVE or INTELLIGENT_TIERING storage class';
      } else {
        const inner =
          (file.tier === 'INTELLIGENT_TIERING' ? '' : element('Days', days)) +
          (tier === '' ? '' : `<GlacierJobParameters>${tier}</GlacierJobParameters>`) +
          element('Description', options.get('description'));
        const body = xmlBody('RestoreRequest', inner);
        const { bucket, key, version } = store.locateFile(file);
        const query = [['restore', '']] as const;
        const request = { method: 'POST', bucket, key, version, query, ...body } as const;
        try {
          await store.client.call({ ...request, doing: 'restore' }, op);
        } catch (error) {
          op.signal.throwIfAborted();
          Status = toSyncerError(error).message;
        }
      }
      found.push({ Status, Remote: file.path });
    }
  }
  return found;
}

async function versioning(store: S3Store, { args, op, mayChange }: BackendCall): Promise<string> {
  const bucket = bucketOf(store);
  const [wanted] = args;
  if (wanted !== undefined) {
    if (wanted !== 'Enabled' && wanted !== 'Suspended') {
      throw new SyncerError('usage', `versioning can be Enabled or Suspended, not "${wanted}"`);
    }
    if (await mayChange(`set versioning to ${wanted} of`, bucket)) {
      const body = xmlBody('VersioningConfiguration', `<Status>${wanted}</Status>`);
      const query = [['versioning', '']] as const;
      const request = { method: 'PUT', bucket, query, ...body } as const;
      await store.client.call({ ...request, doing: 'set the versioning of' }, op);
    }
  }
  return versioningStatus(store, bucket, op);
}

function bucketOf(store: S3Store): string {
  const { bucket } = store.locate('');
  if (bucket !== '') return bucket;
  throw new SyncerError('usage', 'this needs a bucket; name one: remote:bucket');
}

/** Objects that are being restored or have been, or all. Old versions have the names under which they are shown. */
async function restoreStatus(store: S3Store, isAll: boolean, op: Op): Promise<readonly unknown[]> {
  const bucket = bucketOf(store);
  const prefix = prefixOf(store.locate(''));
  const found: unknown[] = [];
  for await (const { key, id, storageClass, restore } of restorable(store, bucket, prefix, op)) {
    if (key.endsWith('/') || (restore === undefined && !isAll)) continue;
    found.push({
      Remote: store.toStandard(key.slice(prefix.length)),
      VersionID: id ?? null,
      RestoreStatus: restore ?? null,
      StorageClass: storageClass,
    });
  }
  return found;
}

/** All objects of a remote that are shown, with their restorations; `id`: of a shown version. */
async function* restorable(
  store: S3Store,
  bucket: string,
  prefix: string,
  op: Op,
): AsyncGenerator<ListedKey & Partial<Pick<ListedVersion, 'id' | 'restore'>>> {
  if (store.showsVersions) {
    for await (const ofKey of versionsByKey(store, { bucket, prefix, withRestores: true }, op)) {
      // The newest version of an object first, as servers list them.
      for (const { version, key } of shownVersions(ofKey, store.settings).reverse()) {
        yield { ...version, key };
      }
    }
    return;
  }
  const query = [
    ['list-type', '2'],
    ['prefix', prefix],
    ['encoding-type', 'url'],
  ] as const;
  const request = { bucket, query, headers: WITH_RESTORES, doing: 'list' };
  const markersOf = ({ root }: ListingPage) =>
    [['continuation-token', childText(root, 'NextContinuationToken') ?? '']] as const;
  const wrong = (why: string) =>
    new SyncerError('bad-answer', `invalid listing of bucket ${bucket}: ${why}`);
  const pages = askPages(store.client, request, 'ListBucketResult', markersOf, wrong, op);
  for await (const { decode, all } of pages) {
    for (const element of all('Contents')) {
      const [key, size = '', tier = ''] = ['Key', 'Size', 'StorageClass'].map((name) =>
        childText(element, name),
      );
      yield { ...buildKey(decode(key), size, '', '', tier), ...restoreIn(element) };
    }
  }
}
