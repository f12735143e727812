import type { Clock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { encodingId, fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';
import type { OpenParams } from '../backend.ts';
import { GraphCalls, type GraphClient } from './client/graph-client.ts';
import { badAnswer } from './client/graph-request.ts';
import { Directories } from './items/directories.ts';
import {
  type Displaced,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  isSameId,
  oneForm,
} from './items/graph-item.ts';
import type { EntryRules } from './items/item-entry.ts';
import { type DriveSettings, type DriveType, isDriveType } from './settings.ts';

/** How long a URL is used, in milliseconds: the service promises minutes to an hour. */
const GOOD_FOR_MS = 5 * 60_000;

/** How many URLs and versions are kept: those of a listing page and of running downloads. */
const MOST = 2500;

/** Values by the id of their entries, those that were used last at the end. */
class RecentValues<T> {
  readonly #clock: Clock;
  readonly #goodForMs: number;
  readonly #kept = new Map<string, { readonly value: T; readonly untilMs: number }>();

  constructor(clock: Clock, goodForMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#goodForMs = goodForMs;
  }

  /** The value of an entry, if there is one that should still be valid. */
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
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}

/** The version of a file that ranges were read of, and the ETags of their responses. */
interface VersionRead {
  readonly file: FileEntry;
  readonly tags: Set<string | undefined>;
}

/** A drive and its type. */
export interface KnownDrive {
  readonly id: string;
  readonly type: DriveType;
}

/** State shared by all operations of one remote: the client, the root, and what was learned about the drive. */
export class DriveStore {
  readonly client: GraphClient;
  readonly settings: DriveSettings;
  readonly root: string;
  readonly directories: Directories;
  /** The download URLs in listings and other responses: each saves a request. */
  readonly downloadUrls: RecentValues<string>;
  /** What was read of files in ranges. */
  readonly versionsRead: RecentValues<VersionRead>;
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
  #drive: Promise<KnownDrive> | undefined;

  /** @param params see `OpenParams` */
  constructor(
    client: GraphClient,
    settings: DriveSettings,
    root: string,
    params: Pick<OpenParams, 'listsMetadata' | 'mayDiffer' | 'uploads'> = {},
  ) {
    const { listsMetadata = false, mayDiffer = { size: false, checksum: false }, uploads } = params;
    this.mayDiffer = mayDiffer;
    this.client = client;
    this.uploads = uploads;
    // Permissions cost a request for each item.
    this.listsMetadata = listsMetadata && !settings.permissions.read;
    this.settings = settings;
    this.root = root;
    this.directories = new Directories(this);
    const { clock } = client.context;
    this.downloadUrls = new RecentValues(clock, GOOD_FOR_MS);
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

  /** The drive; requested once if the options do not name it. */
  known(calls: GraphCalls): Promise<KnownDrive> {
    this.#drive ??= this.#findDrive(calls).catch((error) => {
      this.#drive = undefined;
      throw error;
    });
    return this.#drive;
  }

  /** The remote's name in messages. */
  get title(): string {
    return `OneDrive root '${this.root}'`;
  }

  /** A path of this remote in messages: the root has no name of its own. */
  told(path: string): string {
    return path === '' ? this.title : path;
  }

  /** A path of this remote below the drive's root, as the service spells it. */
  toService(path: string): string {
    return fromStandardPath(this.settings.encoding, joinPath(this.root, path));
  }

  /** A name of the service as syncer spells it. */
  toStandard(name: string): string {
    return toStandardPath(this.settings.encoding, name);
  }

  async #findDrive(calls: GraphCalls): Promise<KnownDrive> {
    const { driveId, driveType } = this.settings;
    if (driveId !== '' && driveType !== undefined) return { id: driveId, type: driveType };
    if (driveId === '' && this.settings.login.byApplication) {
      const text = `an application has no drive of its own: set drive_id of "${this.settings.remote}"`;
      throw new SyncerError('config', text);
    }
    const to = driveId === '' ? '/me/drive' : `/drives/${encodeURIComponent(driveId)}`;
    const about = driveId === '' ? 'the drive of the account' : `drive ${driveId}`;
    const { json } = await calls.call({ method: 'GET', to, doing: 'find', about });
    const { id } = json;
    const isOther = driveId !== '' && typeof id === 'string' && !isSameId(id, driveId);
    if (isOther) throw badAnswer({ doing: 'find', about }, 'the response is for another drive');
    const type = driveType ?? json['driveType'];
    if (typeof id === 'string' && isDriveType(type)) return { id: oneForm(id), type };
    const text = `the service did not identify the drive: set drive_id and drive_type of "${this.settings.remote}"`;
    throw new SyncerError('config', text);
  }
}

/** A drive as an operation uses it: what all operations share, and the requests of this one. */
export class Drive extends GraphCalls {
  readonly store: DriveStore;
  readonly settings: DriveSettings;
  readonly directories: Directories;
  readonly downloadUrls: DriveStore['downloadUrls'];

  constructor(store: DriveStore, op: Op) {
    super(store.client, op);
    this.store = store;
    this.settings = store.settings;
    this.directories = store.directories;
    this.downloadUrls = store.downloadUrls;
  }

  /** The same for another operation. */
  with(op: Op): Drive {
    return new Drive(this.store, op);
  }

  /** See `DriveStore`, as the following. */
  toService(path: string): string {
    return this.store.toService(path);
  }

  toStandard(name: string): string {
    return this.store.toStandard(name);
  }

  told(path: string): string {
    return this.store.told(path);
  }

  known(): Promise<KnownDrive> {
    return this.store.known(this);
  }

  /** See `Directories`, as the following. */
  look(path: string): Promise<GraphItem | undefined> {
    return this.directories.look(this, path);
  }

  locate(path: string): Promise<ItemAddress> {
    return this.directories.locate(this, path);
  }

  locateSelf(path: string): Promise<ItemAddress> {
    return this.directories.locateSelf(this, path);
  }

  ensure(path: string): Promise<ItemId> {
    return this.directories.ensure(this, path);
  }

  ensureWithId(path: string): Promise<ItemId> {
    return this.directories.ensureWithId(this, path);
  }

  async entryRules(): Promise<EntryRules> {
    const { id, type } = await this.known();
    const { hashes } = this.settings;
    return { driveId: id, driveType: type, hashes, metadata: this.store.listsMetadata };
  }
}
