import { innermost } from '../../core/around.ts';
import { deleteOneByOne } from '../../core/deleting.ts';
import { type About, copiedMetadata } from '../../core/entry-details.ts';
import type { HashName } from '../../core/hash-names.ts';
import { foldName } from '../../core/name-order.ts';
import { type Ancestor, ancestorsOf, type Place } from '../../core/place.ts';
import {
  type Capabilities,
  type Entry,
  type FileEntry,
  mostDeleted,
  type Op,
  type Remote,
} from '../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { loginLength } from '../auth/oauth-token.ts';
import type { TokenKeeper } from '../auth/token-keeper.ts';
import { LONGEST_PATH } from './change/aside-name.ts';
import { cleanUp } from './change/clean-up.ts';
import { copyFile, moveDir, moveFile } from './change/copy-file.ts';
import { deleteDir, deleteFiles, purgeDir } from './change/delete-item.ts';
import { shareEntry, unshareEntry } from './change/permissions.ts';
import { restoringFiles, takeBack } from './change/restore-file.ts';
import {
  readDetails,
  readMetadata,
  setDirMetadata,
  setDirModTime,
  setMetadata,
  setModTime,
} from './change/set-mod-time.ts';
import { hasStatus } from './client/graph-error.ts';
import { badAnswer } from './client/graph-request.ts';
import type { DriveStore } from './drive-store.ts';
import { getItem, lookAt } from './items/get-item.ts';
import {
  contentOf,
  type GraphItem,
  type ItemId,
  idOf,
  isSameId,
  ROOT,
  targetOf,
} from './items/graph-item.ts';
import { addressOf, tellEntry, tellFile } from './items/tell-entry.ts';
import { isShown, listByDelta, listChildren, readChanges } from './listing/list-children.ts';
import { readFile } from './read/read-file.ts';
import type { DriveSettings } from './settings.ts';
import { cancelOwnUpload, listOwnUploads } from './upload/upload-session.ts';
import { uploadMemory, writeFile } from './upload/write-file.ts';

/** The stores of the remotes here: the service copies between two of them. */
const stores = new WeakMap<Remote, DriveStore>();

/** A drive, or a folder of one, as a `Remote`. */
export function driveRemote(store: DriveStore, keeper: TokenKeeper): Remote {
  const remote: Remote = {
    name: store.settings.name,
    root: store.root,
    storeId: store.id,
    title: store.title,
    traits: traitsOf(store.settings),
    can: capabilitiesOf(store, keeper),
    isTooLong: (path) => store.toService(path).length > LONGEST_PATH,
    async listPage(dir, cursor, op) {
      op.signal.throwIfAborted();
      return listChildren(store, dir, cursor, op);
    },
    stat: (path, op) => statPath(store, path, op),
    read: (file, range, op) => readFile(store, file, range, op),
    write: (source, op) => writeFile(store, source, op),
    delete: (files, op) => deleteFiles(store, files, op),
    async makeDir(dir, op) {
      op.signal.throwIfAborted();
      await store.directories.ensure(store.toService(dir), op);
    },
    deleteDir: (dir, op) => deleteDir(store, dir, op),
    async close() {
      await keeper.finish();
      store.client.close();
    },
  };
  stores.set(remote, store);
  return remote;
}

function capabilitiesOf(store: DriveStore, keeper: TokenKeeper): Capabilities {
  const storeOf = (from: Remote) => {
    const source = stores.get(innermost(from));
    const isOne = source?.settings.graphUrl.href === store.settings.graphUrl.href;
    return isOne ? source : undefined;
  };
  return {
    listUploads: (path) => listOwnUploads(store, path),
    deleteKept: (files, op) =>
      deleteOneByOne(files, op, (file) => cancelOwnUpload(store, file, op)),
    place: drivePlace(store),
    hash: (file, name, op) => hashOf(store, file, name, op),
    setModTime: (file, modTime, op) => setModTime(store, file, modTime, op),
    readDirMetadata: async (dir, op) => (await readMetadata(store, dir, op)).metadata,
    setDirMetadata: (dir, metadata, modTime, op) =>
      setDirMetadata(store, dir, metadata, modTime, op),
    setDirModTime: (dir, modTime, op) => setDirModTime(store, dir, modTime, op),
    details: { read: (file, op) => readDetails(store, file, op) },
    writesIfUnchanged: true,
    writeMemory: ({ size }) => uploadMemory(store, size),
    copyFrom: async (from, file, path, op, keep) => {
      const source = storeOf(from);
      if (source === undefined) return undefined;
      const metadata = keep && (await copiedMetadata(await readDetails(source, file, op), keep));
      return copyFile(source, store, file, path, op, metadata);
    },
    moveFrom: async (from, file, path, op, keep) => {
      const source = storeOf(from);
      const moved = source && (await moveFile(source, store, file, path, op));
      const isSet = keep !== undefined && Object.keys(keep.set).length > 0;
      return moved && isSet ? setMetadata(store, moved, keep.set, op) : moved;
    },
    moveDirFrom: async (from, dir, path, op) => {
      const source = storeOf(from);
      return source === undefined ? false : moveDir(source, store, dir, path, op);
    },
    restoring: restoringFiles(store),
    takeBack: (file, failed, op) => takeBack(store, file, failed, op),
    purge: (dir, op) => purgeDir(store, dir, op),
    deletesAtOnce: mostDeleted,
    ...(store.settings.listsByDelta && { listDirs: (op: Op) => listByDelta(store, op) }),
    ...(!store.settings.isChina && {
      changes: (token: string | undefined, op: Op) => readChanges(store, token, op),
    }),
    about: (op) => aboutDrive(store, op),
    publicLink: (entry, expireMs, op) => shareEntry(store, entry, expireMs, op),
    deleteLink: (entry, op) => unshareEntry(store, entry, op),
    cleanUp: (maxAgeMs, op) => cleanUp(store, maxAgeMs, op),
    disconnect: () => keeper.forget(),
    userInfo: (op) => userInfo(store, keeper, op),
    inspection: inspectionOf(store, keeper),
  };
}

function traitsOf({ hashes, copiesAcross }: DriveSettings): Traits {
  return {
    hashes,
    slowHash: false,
    modTimePrecision: 1_000_000_000n,
    slowModTime: false,
    caseInsensitive: true,
    emptyDirs: true,
    sortedPages: false,
    bucketBased: false,
    onDisk: false,
    copiesAcross,
  };
}

/** A hash of a file: from the listing, else from a request; the service may not have it yet. */
async function hashOf(
  store: DriveStore,
  file: FileEntry,
  name: HashName,
  op: Op,
): Promise<string | undefined> {
  if (!store.settings.hashes.includes(name)) return undefined;
  // A response that has one of them has all there are.
  if (file.hashes !== undefined) return file.hashes[name];
  const item = await getItem(store.client, await addressOf(store, file, op), file.path, op);
  const now = await tellFile(store, item, file.path, op);
  return now.hashes?.[name];
}

async function statPath(store: DriveStore, path: string, op: Op): Promise<Entry | undefined> {
  op.signal.throwIfAborted();
  const item = await store.directories.look(store.toService(path), op);
  if (item === undefined || !isShown(store, item)) return undefined;
  const rules = await store.entryRules(op);
  const driveId = item.parentReference?.driveId ?? rules.driveId;
  const entry = tellEntry(store, item, path, { ...rules, driveId });
  if (contentOf(item).folder !== undefined) return entry;
  if (entry.kind !== 'file') return undefined;
  const { name } = item;
  // A path may have a character that the service cannot store instead of the one that stands for it.
  if (name === undefined || name === leafName(store.toService(path))) return entry;
  return { ...entry, storedPath: joinPath(parentPath(path), store.toStandard(name)) };
}

async function aboutDrive(store: DriveStore, op: Op): Promise<About> {
  const { id } = await store.drive(op);
  const to = `/drives/${encodeURIComponent(id)}`;
  const request = { method: 'GET', to, doing: 'ask for', about: 'the space of the drive' } as const;
  const { json } = await store.client.call(request, op);
  if (!isSameId(typeof json['id'] === 'string' ? json['id'] : undefined, id)) {
    throw badAnswer(request, 'the response is for another drive');
  }
  const quota = (json['quota'] ?? {}) as Readonly<Record<string, unknown>>;
  const bytes = (name: string) => (typeof quota[name] === 'number' ? quota[name] : undefined);
  // Drives without a limit report 0.
  const total = bytes('total') || undefined;
  const free = total && bytes('remaining');
  return { total, used: bytes('used'), free, trashed: bytes('deleted') };
}

async function userInfo(
  store: DriveStore,
  keeper: TokenKeeper,
  op: Op,
): Promise<Readonly<Record<string, string>>> {
  const json = await account(store, op);
  const drive = await store.drive(op);
  const told = {
    id: json['id'],
    displayName: json['displayName'],
    mail: json['mail'],
    userPrincipalName: json['userPrincipalName'],
    driveId: drive.id,
    driveType: drive.type,
    login: loginLength(keeper.current),
  };
  const texts = Object.entries(told).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  return Object.fromEntries(texts) as Record<string, string>;
}

/** For `doctor`. */
function inspectionOf(
  store: DriveStore,
  keeper: TokenKeeper,
): NonNullable<Capabilities['inspection']> {
  return {
    url: store.settings.graphUrl.href,
    async *findings(op) {
      const { inspectDrive } = await import('./inspect-drive.ts');
      yield* inspectDrive(store, keeper, (asked) => aboutDrive(store, asked), op);
    },
  };
}

/** Logins without the permission `User.Read` do not show their account. */
async function account(store: DriveStore, op: Op): Promise<Readonly<Record<string, unknown>>> {
  const request = { method: 'GET', to: '/me', doing: 'ask for', about: 'the account' } as const;
  try {
    return (await store.client.call(request, op)).json;
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return {};
  }
}

/** Where the items of a remote are: by drive and id, whatever shortcuts lead there, and by path. */
function drivePlace(store: DriveStore): Place {
  const service = `drive ${store.settings.graphUrl.href}`;
  return {
    kind: 'drive',
    store: service,
    lineage: async (path, op) => {
      const whole = store.toService(path);
      const { id } = await store.drive(op);
      const top = idOf({ driveId: id, id: store.settings.rootFolderId || ROOT });
      const named = ancestorsOf(`${top}:`, whole, foldName);
      const found = [...(await itemsAt(store, whole, op)), ...named];
      return { ancestors: found.map((item) => ({ ...item, id: `${service} ${item.id}` })) };
    },
    anchor: async (op) => {
      const whole = store.toService('');
      const { id } = await store.drive(op);
      // Shortcuts on the way are known when the directory is.
      const { rest } = await store.directories.locate(whole, op);
      if (rest !== '') await store.directories.look(whole, op);
      return store.directories.anchorOf(whole, id);
    },
    leadsAway: (dir) => {
      const isShortcut = ({ id }: Ancestor) => store.directories.shortcutAt(id) !== undefined;
      return ancestorsOf('', store.toService(dir)).some(isShortcut);
    },
    views: async () => ({ of: [], lateMs: 0 }),
  };
}

/** The item at a path and all items above it. A missing one is identified by its path. */
async function itemsAt(store: DriveStore, path: string, op: Op): Promise<Ancestor[]> {
  let [at, missing] = [path, ''];
  let item = await store.directories.look(at, op);
  while (item === undefined && at !== '') {
    missing = joinPath(leafName(at), missing);
    at = parentPath(at);
    item = await store.directories.look(at, op);
  }
  if (item === undefined) return [];
  const { id } = await store.drive(op);
  const self = targetOf(item, item.parentReference?.driveId ?? id);
  const unmade = missing === '' ? [] : ancestorsOf(`${idOf(self)}/`, missing, foldName);
  const known = item.remoteItem === undefined ? item : undefined;
  return [...unmade.slice(0, -1), ...(await upwards(store, self, missing, known, op))];
}

/** An item and the folders above it, as far as they are visible. */
async function upwards(
  store: DriveStore,
  item: ItemId,
  way: string,
  known: GraphItem | undefined,
  op: Op,
): Promise<Ancestor[]> {
  const ancestors: Ancestor[] = [];
  let [at, rest, told] = [item, way, known];
  for (;;) {
    ancestors.push({ id: idOf(at), rest });
    told ??= await lookAt(store.client, at, op);
    const parent = told?.parentReference;
    if (told?.root !== undefined || parent?.id === undefined) return ancestors;
    rest = joinPath(told?.name ?? '', rest);
    at = { driveId: parent.driveId ?? at.driveId, id: parent.id };
    // Nothing is above the root.
    told = parent.path?.endsWith('/root:') === true ? { root: {} } : undefined;
  }
}
