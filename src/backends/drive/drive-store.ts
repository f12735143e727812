import type { Clock } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { foldName } from '../../core/name-order.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { dirsAbove, isWithin, joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { encodingId, fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';
import type { OpenParams } from '../backend.ts';
import { GraphCalls, type GraphClient } from './client/graph-client.ts';
import { badAnswer, hasStatus } from './client/graph-request.ts';
import { differs, findItem, wantedAt } from './items/get-item.ts';
import {
  contentOf,
  type Displaced,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  isSameId,
  oneForm,
  ROOT,
  requestPath,
  targetOf,
} from './items/graph-item.ts';
import type { EntryRules } from './items/item-entry.ts';
import { type DriveSettings, type DriveType, isDriveType } from './settings.ts';

/** Values by the id of their entries, those that were used last at the end. */
class RecentValues<T> {
  readonly #clock: Clock;
  readonly #goodForMs: number;
  readonly #kept = new Map<string, { readonly value: T; readonly untilMs: number }>();

  constructor(clock: Clock, goodForMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#goodForMs = goodForMs;
  }

  get(id: string): T | undefined {
    const known = this.#kept.get(id);
    if (known === undefined || known.untilMs <= this.#clock.monotonic()) return undefined;
    this.#kept.delete(id);
    this.#kept.set(id, known);
    return known.value;
  }

  keep(id: string, value: T): void {
    this.#kept.delete(id);
    this.#kept.set(id, { value, untilMs: this.#clock.monotonic() + this.#goodForMs });
    const [oldest] = this.#kept.keys();
    // Those of a listing page and of running downloads are kept.
    if (this.#kept.size > 2500 && oldest !== undefined) this.#kept.delete(oldest);
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}

/** A drive and its type. */
interface KnownDrive {
  readonly id: string;
  readonly type: DriveType;
}

/**
 * What is known of the directories of a drive, by folded path below its root, as the service spells it. Paths below a
 * known one are addressed from there: shortcuts to other drives are followed, and listed directories need no request.
 */
class Directories {
  /** Of a shortcut, its target. */
  readonly known = new Map<string, ItemId>();
  readonly shortcuts = new Map<string, ItemId>();
  readonly beingMade = new Map<string, Promise<ItemId>>();
  rootCheck: Promise<void> | undefined;

  /** The shortcut at a path, if known. */
  shortcutAt(path: string): ItemId | undefined {
    return this.shortcuts.get(foldName(path));
  }

  /** Records the item at a path from a response. */
  learn(path: string, item: GraphItem, driveId: string): void {
    const key = foldName(path);
    const isTarget = isSameId(item.id, this.known.get(key)?.id ?? '');
    // The target of a known shortcut shows nothing about the shortcut.
    if (isTarget && this.shortcuts.has(key)) return;
    if (item.remoteItem !== undefined && item.id !== undefined) {
      this.shortcuts.set(key, { driveId, id: item.id });
    } else {
      this.shortcuts.delete(key);
    }
    if (contentOf(item).folder !== undefined) this.known.set(key, targetOf(item, driveId));
    else this.known.delete(key);
  }

  /** The path and everything below it may have changed or been deleted. */
  forget(path: string): void {
    const gone = foldName(path);
    for (const map of [this.known, this.shortcuts]) {
      for (const known of map.keys()) if (isWithin(gone, known)) map.delete(known);
    }
  }
}

/** State shared by all operations of one remote: the client, the root, and what was learned about the drive. */
export class DriveStore {
  readonly client: GraphClient;
  readonly settings: DriveSettings;
  readonly root: string;
  readonly directories = new Directories();
  /** The download URLs in listings and other responses: each saves a request. */
  readonly downloadUrls: RecentValues<string>;
  /** The version of a file that ranges were read of, and the ETags of their responses. */
  readonly versionsRead: RecentValues<{
    readonly file: FileEntry;
    readonly tags: Set<string | undefined>;
  }>;
  /** Files whose names could not be restored, by those names, folded. */
  readonly displaced = new Map<string, Displaced>();
  /** Versions of files whose content is wrong, by the id of the entry and their own. */
  readonly wrongVersions = new Set<string>();
  /** Whether the service is believed to support `$batch`. */
  batches = true;
  /** Records of unfinished uploads, if they may be resumed. */
  readonly uploads: UploadRecordsAccess | undefined;
  /** What of a written file may differ from what was sent: the service changes some files. */
  readonly mayDiffer: NonNullable<OpenParams['mayDiffer']>;
  readonly listsMetadata: boolean;
  drive: Promise<KnownDrive> | undefined;

  constructor(
    client: GraphClient,
    settings: DriveSettings,
    root: string,
    params: Pick<OpenParams, 'listsMetadata' | 'mayDiffer' | 'uploads'>,
  ) {
    this.mayDiffer = params.mayDiffer ?? { size: false, checksum: false };
    this.client = client;
    this.uploads = params.uploads;
    // Permissions cost a request for each item.
    this.listsMetadata = params.listsMetadata === true && !settings.permissions.read;
    this.settings = settings;
    this.root = root;
    const { clock } = client.context;
    // The service promises minutes to an hour.
    this.downloadUrls = new RecentValues(clock, 5 * 60_000);
    this.versionsRead = new RecentValues(clock);
  }

  /** The service, the drive, and how its names become paths; of an account's own drive the login that leads there. */
  get id(): string {
    const { graphUrl, driveId, rootFolderId, encoding, remote, login } = this.settings;
    const drive = driveId === '' ? ['of', remote, login.clientId] : [driveId.toLowerCase()];
    return JSON.stringify(['drive', graphUrl.href, drive, rootFolderId, encodingId(encoding)]);
  }

  /** The drive as an operation uses it. */
  for(op: Op): Drive {
    return new Drive(this, op);
  }

  /** The remote's name in messages. */
  get title(): string {
    return `OneDrive root '${this.root}'`;
  }

  /** A path of this remote below the drive's root, as the service spells it. */
  toService(path: string): string {
    return fromStandardPath(this.settings.encoding, joinPath(this.root, path));
  }

  /** A name of the service as syncer spells it. */
  toStandard(name: string): string {
    return toStandardPath(this.settings.encoding, name);
  }
}

/** The drive of one operation. Paths are below the drive's root, as the service spells them. */
export class Drive extends GraphCalls {
  readonly store: DriveStore;
  readonly settings: DriveSettings;
  readonly directories: Directories;

  constructor(store: DriveStore, op: Op) {
    super(store.client, op);
    this.store = store;
    this.settings = store.settings;
    this.directories = store.directories;
  }

  /** See `DriveStore`, as the following. */
  toService(path: string): string {
    return this.store.toService(path);
  }

  toStandard(name: string): string {
    return this.store.toStandard(name);
  }

  /** A path of this remote in messages: the root has no name of its own. */
  told(path: string): string {
    return path === '' ? this.store.title : path;
  }

  async entryRules(): Promise<EntryRules> {
    const { id, type } = await this.known();
    const { hashes } = this.settings;
    return { driveId: id, driveType: type, hashes, metadata: this.store.listsMetadata };
  }

  /** The drive; requested once if the options do not name it. */
  known(): Promise<KnownDrive> {
    const { store } = this;
    store.drive ??= this.#findDrive().catch((error) => {
      store.drive = undefined;
      throw error;
    });
    return store.drive;
  }

  async #findDrive(): Promise<KnownDrive> {
    const { driveId, driveType, login, remote } = this.settings;
    if (driveId !== '' && driveType !== undefined) return { id: driveId, type: driveType };
    if (driveId === '' && login.byApplication) {
      const text = `an application has no drive of its own: set drive_id of "${remote}"`;
      throw new SyncerError('config', text);
    }
    const to = driveId === '' ? '/me/drive' : `/drives/${encodeURIComponent(driveId)}`;
    const about = driveId === '' ? 'the drive of the account' : `drive ${driveId}`;
    const { json } = await this.call({ method: 'GET', to, doing: 'find', about });
    const { id } = json;
    const isOther = driveId !== '' && typeof id === 'string' && !isSameId(id, driveId);
    if (isOther) throw badAnswer({ doing: 'find', about }, 'the response is for another drive');
    const type = driveType ?? json['driveType'];
    if (typeof id === 'string' && isDriveType(type)) return { id: oneForm(id), type };
    const text = `the service did not identify the drive: set drive_id and drive_type of "${remote}"`;
    throw new SyncerError('config', text);
  }

  /** The address of a path, from the nearest known directory; in China from the one it is in, if that exists. */
  async locate(path: string): Promise<ItemAddress> {
    const address = await this.#nearest(path);
    if (!this.settings.isChina || !address.rest.includes('/')) return address;
    await this.look(parentPath(path));
    return this.#nearest(path);
  }

  async #nearest(path: string): Promise<ItemAddress> {
    for (let dir = path; dir !== ''; dir = parentPath(dir)) {
      const known = this.directories.known.get(foldName(dir));
      if (known !== undefined) return { ...known, rest: path.slice(dir.length + 1) };
    }
    const { id: driveId } = await this.known();
    const { rootFolderId } = this.settings;
    if (rootFolderId === '') return { driveId, id: ROOT, rest: path };
    return { driveId, id: rootFolderId, hasAliases: true, rest: path };
  }

  /** As `locate`, but a shortcut is itself and not its target. */
  async locateSelf(path: string): Promise<ItemAddress> {
    const shortcut = this.directories.shortcutAt(path);
    if (shortcut !== undefined) return { ...shortcut, rest: '' };
    if (path === '') return this.locate('');
    const parent = await this.locate(parentPath(path));
    return { ...parent, rest: joinPath(parent.rest, leafName(path)) };
  }

  /** The item at a path; `undefined` if there is none. Shortcuts on the way are followed. */
  async look(path: string): Promise<GraphItem | undefined> {
    const address = await this.locate(path);
    const item = await this.#get(address, path);
    if (item !== undefined || !address.rest.includes('/')) return item;
    // A path through a shortcut does not exist until the shortcut is known.
    const parent = await this.look(parentPath(path));
    const isShortcut = (dir: string) => this.directories.shortcutAt(dir) !== undefined;
    if (parent === undefined || !dirsAbove(path).some(isShortcut)) return undefined;
    return this.#get(await this.locate(path), path);
  }

  /** The directory at a path, created with its parents if missing. Rejects with `not-a-directory`. */
  async ensure(path: string): Promise<ItemId> {
    const { known, beingMade } = this.directories;
    const key = foldName(path);
    const there = known.get(key);
    if (there !== undefined) return there;
    const making = beingMade.get(key) ?? this.#ensure(path);
    beingMade.set(key, making);
    try {
      return await making;
    } finally {
      if (beingMade.get(key) === making) beingMade.delete(key);
    }
  }

  /** As `ensure`; the root of the drive by its id, because only that can be sent as a parent. */
  async ensureWithId(path: string): Promise<ItemId> {
    const folder = await this.ensure(path);
    if (folder.id !== ROOT) return folder;
    const root = await this.#get({ ...folder, rest: '' }, path);
    return { ...folder, id: root?.id ?? ROOT };
  }

  async #ensure(path: string): Promise<ItemId> {
    const address = await this.locate(path);
    if (path === '') {
      const { rest: _, ...root } = address;
      return root;
    }
    const found = await this.#get(address, path);
    if (found !== undefined) return asDirectory(found, path, address.driveId);
    const parent = await this.ensure(parentPath(path));
    const place = { ...parent, rest: leafName(path) };
    const request = {
      method: 'POST',
      to: requestPath({ ...parent, rest: '' }, '/children'),
      json: { name: place.rest, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
      isNaming: true,
      doing: 'create the directory',
      about: path,
    } as const;
    try {
      const { json } = await this.call(request);
      const wrong = differs(json, { ...wantedAt(place), isFolder: true });
      const item: GraphItem | undefined = wrong === undefined ? json : await this.#get(place, path);
      if (item === undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
      this.directories.learn(path, item, parent.driveId);
      return asDirectory(item, path, parent.driveId);
    } catch (thrown) {
      if (!hasStatus(thrown, 409)) throw thrown;
      // Another client created it, or an earlier attempt whose response was lost.
      const there = await this.#get(place, path);
      if (there === undefined) throw thrown;
      return asDirectory(there, path, parent.driveId);
    }
  }

  async #get(address: ItemAddress, path: string): Promise<GraphItem | undefined> {
    const about = path === '' ? 'the root' : path;
    const item = await findItem(this, address, about).catch(async (thrown) => {
      if (hasStatus(thrown, 400)) await this.#checkRoot();
      throw thrown;
    });
    if (item === undefined) await this.#checkRoot();
    // Asked for by its own id, the target of a shortcut may answer with another one.
    const isTarget = address.rest === '' && this.directories.shortcutAt(path) !== undefined;
    if (item !== undefined && !isTarget) this.directories.learn(path, item, address.driveId);
    return item;
  }

  /** Something is missing: rejects with `config` if drive or folder of the options do not exist. Requested once. */
  #checkRoot(): Promise<void> {
    const { directories } = this;
    directories.rootCheck ??= this.#findRoot().catch((thrown) => {
      if (!hasCode(thrown, 'config')) directories.rootCheck = undefined;
      throw thrown;
    });
    return directories.rootCheck;
  }

  async #findRoot(): Promise<void> {
    const { driveId: given, rootFolderId, remote } = this.settings;
    // The drive of an account was found by a request.
    if (given === '' && rootFolderId === '') return;
    const { id: driveId } = await this.known();
    const root = { driveId, id: rootFolderId || ROOT, hasAliases: true, rest: '' };
    try {
      if ((await findItem(this, root, 'the root')) !== undefined) return;
    } catch (thrown) {
      // Items below it may be accessible.
      if (hasCode(thrown, 'access-denied')) return;
      if (!hasStatus(thrown, 400)) throw thrown;
    }
    const [what, option] =
      rootFolderId === ''
        ? [`drive "${given}"`, 'drive_id']
        : [`the directory "${rootFolderId}"`, 'root_folder_id'];
    const text = `cannot find ${what}, or the account has no access: check ${option} of "${remote}"`;
    throw new SyncerError('config', text);
  }
}

function asDirectory(item: GraphItem, path: string, driveId: string): ItemId {
  if (contentOf(item).folder !== undefined) return targetOf(item, driveId);
  throw new SyncerError('not-a-directory', `cannot create the directory ${path}: it is a file`);
}
