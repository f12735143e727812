import { innermost } from '../../core/around.ts';
import { type About, copiedMetadata } from '../../core/entry-details.ts';
import { absentIf } from '../../core/errors.ts';
import { foldName } from '../../core/name-order.ts';
import { type Ancestor, ancestorsOf, type Place } from '../../core/place.ts';
import {
  type Capabilities,
  type Entry,
  mostDeleted,
  type Op,
  type Remote,
} from '../../core/remote.ts';
import { deleteOneByOne } from '../../core/remote-calls.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import { loginLength } from '../auth/oauth-token.ts';
import type { TokenKeeper } from '../auth/token-keeper.ts';
import { cleanUp } from './change/clean-up.ts';
import { copyFile, moveDir, moveFile } from './change/copy-file.ts';
import { deleteDir, deleteFiles, deleteShortcut, purgeDir } from './change/delete-item.ts';
import { shareEntry, unshareEntry } from './change/permissions.ts';
import { restoringFiles, takeBack } from './change/restore-file.ts';
import {
  readDetails,
  readMetadata,
  setDirMetadata,
  setMetadata,
  setModTime,
} from './change/set-mod-time.ts';
import { badAnswer, type GraphAnswer, hasStatus, LONGEST_PATH } from './client/graph-request.ts';
import type { Drive, DriveStore } from './drive-store.ts';
import { findItem, getItem } from './items/get-item.ts';
import { contentOf, idOf, isSameId, ROOT, targetOf } from './items/graph-item.ts';
import { addressOf, tellEntry, tellFile } from './items/tell-entry.ts';
import { isShown, listByDelta, listChildren, readChanges } from './listing/list-children.ts';
import { readFile } from './read/read-file.ts';
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
    traits: {
      hashes: store.settings.hashes,
      slowHash: false,
      modTimePrecision: 1_000_000_000n,
      slowModTime: false,
      caseInsensitive: true,
      emptyDirs: true,
      sortedPages: false,
      bucketBased: false,
      onDisk: false,
      copiesAcross: store.settings.copiesAcross,
    },
    can: capabilitiesOf(store, keeper),
    isTooLong: (path) => store.toService(path).length > LONGEST_PATH,
    async listPage(dir, cursor, op) {
      op.signal.throwIfAborted();
      return listChildren(store.for(op), dir, cursor);
    },
    stat: (path, op) => statPath(store.for(op), path),
    read: (file, range, op) => readFile(store.for(op), file, range),
    write: (source, op) => writeFile(store.for(op), source),
    delete: (files, op) => deleteFiles(store.for(op), files),
    async makeDir(dir, op) {
      op.signal.throwIfAborted();
      await store.for(op).ensure(store.toService(dir));
    },
    deleteDir: (dir, op) => deleteDir(store.for(op), dir),
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
    return source?.settings.graphUrl.href === store.settings.graphUrl.href ? source : undefined;
  };
  return {
    listUploads: (path) => listOwnUploads(store, path),
    deleteKept: (files, op) =>
      deleteOneByOne(files, op, (file) => cancelOwnUpload(store, file, op)),
    place: drivePlace(store),
    hash: async (file, name, op) => {
      if (!store.settings.hashes.includes(name)) return undefined;
      // A response that has one of them has all there are; the service may not have them yet.
      if (file.hashes !== undefined) return file.hashes[name];
      const drive = store.for(op);
      const item = await getItem(drive, await addressOf(drive, file), file.path);
      return (await tellFile(drive, item, file.path)).hashes?.[name];
    },
    setModTime: (file, modTime, op) => setModTime(store.for(op), file, modTime),
    readDirMetadata: async (dir, op) => (await readMetadata(store.for(op), dir)).metadata,
    setDirMetadata: (dir, metadata, modTime, op) =>
      setDirMetadata(store.for(op), dir, modTime, metadata),
    setDirModTime: (dir, modTime, op) => setDirMetadata(store.for(op), dir, modTime),
    details: { read: (file, op) => readDetails(store.for(op), file) },
    writesIfUnchanged: true,
    writeMemory: ({ size }) => uploadMemory(store, size),
    copyFrom: async (from, file, path, op, keep) => {
      const source = storeOf(from)?.for(op);
      if (source === undefined) return undefined;
      const metadata = keep && (await copiedMetadata(await readDetails(source, file), keep));
      return copyFile(source, store.for(op), file, path, metadata);
    },
    moveFrom: async (from, file, path, op, keep) => {
      const source = storeOf(from);
      const moved = source && (await moveFile(source.for(op), store.for(op), file, path));
      const isSet = keep !== undefined && Object.keys(keep.set).length > 0;
      return moved && isSet ? setMetadata(store.for(op), moved, keep.set) : moved;
    },
    moveDirFrom: async (from, dir, path, op) => {
      const source = storeOf(from);
      return source === undefined ? false : moveDir(source.for(op), store.for(op), dir, path);
    },
    restoring: restoringFiles(store),
    takeBack: (file, failed, op) => takeBack(store.for(op), file, failed),
    purge: (dir, op) => purgeDir(store.for(op), dir),
    deleteShortcut: (dir, op) => deleteShortcut(store.for(op), dir),
    deletesAtOnce: mostDeleted,
    ...(store.settings.listsByDelta && { listDirs: (op: Op) => listByDelta(store.for(op)) }),
    ...(!store.settings.isChina && {
      changes: (token: string | undefined, op: Op) => readChanges(store.for(op), token),
    }),
    about: (op) => aboutDrive(store.for(op)),
    publicLink: (entry, expireMs, op) => shareEntry(store.for(op), entry, expireMs),
    deleteLink: (entry, op) => unshareEntry(store.for(op), entry),
    cleanUp: (maxAgeMs, op) => cleanUp(store.for(op), maxAgeMs),
    disconnect: () => keeper.forget(),
    userInfo: (op) => userInfo(store.for(op), keeper),
    inspection: {
      url: store.settings.graphUrl.href,
      async offline() {
        const { loginFinding } = await import('./inspect-drive.ts');
        const found = loginFinding(store.settings, keeper, store.client.context.clock.now());
        return found.verdict === 'ok' ? undefined : found;
      },
      async *findings(op) {
        const { inspectDrive } = await import('./inspect-drive.ts');
        yield* inspectDrive(store.for(op), keeper, aboutDrive);
      },
    },
  };
}

async function statPath(drive: Drive, path: string): Promise<Entry | undefined> {
  drive.op.signal.throwIfAborted();
  const item = await drive.look(drive.toService(path));
  if (item === undefined || !isShown(drive, item)) return undefined;
  const rules = await drive.entryRules();
  const driveId = item.parentReference?.driveId ?? rules.driveId;
  const entry = tellEntry(drive, item, path, { ...rules, driveId });
  if (contentOf(item).folder !== undefined) return entry;
  if (entry.kind !== 'file') return undefined;
  const { name } = item;
  // A path may have a character that the service cannot store instead of the one that stands for it.
  if (name === undefined || name === leafName(drive.toService(path))) return entry;
  return { ...entry, storedPath: joinPath(parentPath(path), drive.toStandard(name)) };
}

async function aboutDrive(drive: Drive): Promise<About> {
  const { id } = await drive.known();
  const to = `/drives/${encodeURIComponent(id)}`;
  const request = { method: 'GET', to, doing: 'ask for', about: 'the space of the drive' } as const;
  const { json } = await drive.call(request);
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

async function userInfo(drive: Drive, keeper: TokenKeeper) {
  const request = { method: 'GET', to: '/me', doing: 'ask for', about: 'the account' } as const;
  const { json } = await drive.call(request).catch((thrown): Pick<GraphAnswer, 'json'> => {
    // Logins without the permission `User.Read` do not show their account.
    if (!hasStatus(thrown, 403)) throw thrown;
    return { json: {} };
  });
  const { id, type } = await drive.known();
  const told = {
    id: json['id'],
    displayName: json['displayName'],
    mail: json['mail'],
    userPrincipalName: json['userPrincipalName'],
    driveId: id,
    driveType: type,
    login: loginLength(keeper.current),
  };
  return Object.fromEntries(
    Object.entries(told).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );
}

/** Where the items of a remote are: by drive and id, whatever shortcuts lead there, and by path. */
function drivePlace(store: DriveStore): Place {
  const service = `drive ${store.settings.graphUrl.href}`;
  return {
    kind: 'drive',
    store: service,
    lineage: async (path, op) => {
      const whole = store.toService(path);
      const drive = store.for(op);
      const { id } = await drive.known();
      const top = idOf({ driveId: id, id: store.settings.rootFolderId || ROOT });
      const named = ancestorsOf(`${top}:`, whole, foldName);
      const found = [...(await itemsAt(drive, whole)), ...named];
      return { ancestors: found.map((item) => ({ ...item, id: `${service} ${item.id}` })) };
    },
    anchor: async (op) => {
      const whole = store.toService('');
      const drive = store.for(op);
      const { id } = await drive.known();
      // Shortcuts on the way are known when the directory is.
      const { rest } = await drive.locate(whole);
      if (rest !== '') await drive.look(whole);
      const { known, shortcuts } = store.directories;
      for (let dir = foldName(whole); dir !== ''; dir = parentPath(dir)) {
        const target = shortcuts.has(dir) ? known.get(dir) : undefined;
        if (target !== undefined) return idOf(target);
      }
      return idOf({ driveId: id, id: store.settings.rootFolderId || ROOT });
    },
    leadsAway: (dir) => {
      const isShortcut = ({ id }: Ancestor) => store.directories.shortcutAt(id) !== undefined;
      return ancestorsOf('', store.toService(dir)).some(isShortcut);
    },
    views: async () => ({ of: [], lateMs: 0 }),
  };
}

/** The item at a path and the items above it, as far as they are visible. A missing one is identified by its path. */
async function itemsAt(drive: Drive, path: string): Promise<Ancestor[]> {
  let [place, rest] = [path, ''];
  let item = await drive.look(place);
  while (item === undefined && place !== '') {
    rest = joinPath(leafName(place), rest);
    place = parentPath(place);
    item = await drive.look(place);
  }
  if (item === undefined) return [];
  const { id } = await drive.known();
  let at = targetOf(item, item.parentReference?.driveId ?? id);
  const ancestors = rest === '' ? [] : ancestorsOf(`${idOf(at)}/`, rest, foldName).slice(0, -1);
  let told = item.remoteItem === undefined ? item : undefined;
  for (;;) {
    ancestors.push({ id: idOf(at), rest });
    // A shared item shows its content, and not its parents.
    told ??= await findItem(drive, { ...at, rest: '' }, 'the directory above').catch(
      absentIf('access-denied'),
    );
    const parent = told?.parentReference;
    if (told?.root !== undefined || parent?.id === undefined) return ancestors;
    rest = joinPath(told?.name ?? '', rest);
    at = { driveId: parent.driveId ?? at.driveId, id: parent.id };
    // Nothing is above the root.
    told = parent.path?.endsWith('/root:') === true ? { root: {} } : undefined;
  }
}
