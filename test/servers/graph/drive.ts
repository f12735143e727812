import { checkName, type DriveType } from './check-name.ts';
import { type DriveItem, type FileVersion, itemsIn, pathNames, sizeOf } from './drive-item.ts';
import type { FileContent } from './file-content.ts';
import { GraphFailure, nameTaken } from './graph-failure.ts';
import { fullId } from './odd-ids.ts';

/** What a drive is made of. */
export interface DriveSetup {
  readonly type: DriveType;
  readonly id?: string;
  readonly name?: string;
  /** Bytes it may hold; 1 TiB where absent. */
  readonly quota?: number;
  /** The SharePoint site it belongs to, by its name; a document library without one is of the root site. */
  readonly site?: string;
  /** Not the signed-in user's: only reachable by its id. */
  readonly foreign?: boolean;
}

/** What was deleted, for `delta`. */
export interface Tombstone {
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
  readonly isFolder: boolean;
  readonly changed: number;
}

/** What a drive needs of the service. */
interface Service {
  readonly settings: { readonly takesShortIds: boolean; readonly keepsVersions: boolean };
  now(): number;
}

/** A drive with its items. What is changed here obeys the rules for names, locks and space. */
export class Drive {
  readonly id: string;
  readonly type: DriveType;
  readonly name: string;
  readonly site: string | undefined;
  readonly foreign: boolean;
  readonly root: DriveItem;
  readonly items = new Map<string, DriveItem>();
  readonly tombstones = new Map<string, Tombstone>();
  /** The recycle bin: what was deleted, each with all that was in it. */
  readonly bin = new Map<string, DriveItem>();
  quota: number;
  /** Bytes in the recycle bin; they count until it is emptied. */
  binned = 0;
  /** Number of the last change. */
  changes = 0;
  readonly #service: Service;
  #lastId = 100;
  /** Bytes of all contents and all versions. */
  #stored = 0;

  constructor(setup: DriveSetup, number: number, service: Service) {
    this.type = setup.type;
    const personal = setup.type === 'personal';
    const hex = (0xb0d1e5a0c0ffeen + BigInt(number)).toString(16).toUpperCase().padStart(16, '0');
    this.id =
      setup.id ?? (personal ? hex : `b!${Buffer.from(`drive-${hex}`).toString('base64url')}`);
    this.name = setup.name ?? (setup.type === 'documentLibrary' ? 'Documents' : 'OneDrive');
    this.quota = setup.quota ?? 2 ** 40;
    this.site = setup.site ?? (setup.type === 'documentLibrary' ? 'root' : undefined);
    this.foreign = setup.foreign ?? false;
    this.#service = service;
    this.root = this.make('root', undefined, { folder: true });
  }

  /** The item with an id, without regard to case. */
  byId(id: string): DriveItem | undefined {
    const full = this.#service.settings.takesShortIds ? fullId(id) : id.toUpperCase();
    return this.items.get(id) ?? this.items.get(full);
  }

  /** Bytes that count for the quota. */
  get used(): number {
    return this.#stored + this.binned;
  }

  /** Throws 507 when `bytes` more do not fit. */
  needSpace(bytes: number): void {
    if (this.used + bytes > this.quota) {
      throw new GraphFailure(507, 'quotaLimitReached', 'Insufficient space available.');
    }
  }

  /** Makes an item that is not there yet; the name must be free. */
  make(
    name: string,
    parent: DriveItem | undefined,
    what: {
      readonly folder?: boolean;
      readonly packageType?: string;
      readonly remote?: DriveItem['remote'];
    },
  ): DriveItem {
    const now = this.#time(this.#service.now());
    if (parent !== undefined) this.checkPlace(name, parent, what.folder ?? false);
    const item: DriveItem = {
      id: this.#newId(),
      name,
      parent,
      children: what.folder === true ? new Map() : undefined,
      content: undefined,
      mimeType: 'application/octet-stream',
      created: now,
      modified: now,
      serverModified: now,
      revision: 1,
      contentRevision: 1,
      versions: [],
      versionNumber: 1,
      packageType: what.packageType,
      remote: what.remote,
      locked: false,
      permissions: [],
      changed: 0,
    };
    this.items.set(item.id, item);
    parent?.children?.set(name.toLowerCase(), item);
    this.touched(item, true);
    return item;
  }

  /** Throws when `name` cannot stand in `parent`: for its form, for its length, or for a parent that is no folder. */
  checkPlace(name: string, parent: DriveItem, isFolder: boolean): void {
    if (parent.children === undefined) throw nameTaken(parent.name);
    checkName(name, { driveType: this.type, above: pathNames(parent), isFolder });
  }

  /** Gives a file a content; what it held becomes an older version. */
  write(item: DriveItem, content: FileContent, mimeType: string): void {
    checkUnlocked(item);
    this.keepVersion(item);
    this.exchange(item, content);
    item.mimeType = mimeType;
  }

  /** Puts another content in the place of what a file holds; there is no version of the old one. */
  exchange(item: DriveItem, content: FileContent): void {
    this.#stored += content.size - (item.content?.size ?? 0);
    item.content = content;
    item.contentRevision++;
    this.touched(item);
  }

  /** The present content becomes an older version and goes on under the next number. */
  keepVersion(item: DriveItem): void {
    if (item.content === undefined || !this.#service.settings.keepsVersions) return;
    const { content, serverModified: modified } = item;
    item.versions.unshift({ id: `${item.versionNumber}.0`, content, modified });
    item.versionNumber++;
    this.#stored += content.size;
  }

  /** Forgets an older version. */
  dropVersion(item: DriveItem, version: FileVersion): void {
    item.versions = item.versions.filter((one) => one !== version);
    this.#stored -= version.content.size;
  }

  /** Sets the client's times, in milliseconds, as exact as this drive keeps them: fractions are cut. */
  setTimes(
    item: DriveItem,
    times: { created?: number; modified?: number; description?: string },
  ): void {
    if (times.description !== undefined) item.description = times.description;
    if (times.created !== undefined) item.created = this.#time(times.created);
    if (times.modified !== undefined) item.modified = this.#time(times.modified);
  }

  /** Renames and moves within the drive; the new name must be free or the item's own. */
  move(item: DriveItem, parent: DriveItem, name: string): void {
    checkUnlocked(item);
    this.checkPlace(name, parent, item.children !== undefined);
    for (let at: DriveItem | undefined = parent; at !== undefined; at = at.parent) {
      if (at === item)
        throw new GraphFailure(400, 'invalidRequest', 'A folder cannot move into itself.');
    }
    item.parent?.children?.delete(item.name.toLowerCase());
    item.parent = parent;
    item.name = name;
    parent.children?.set(name.toLowerCase(), item);
    this.touched(item);
  }

  /** Removes an item with all that is in it; into the recycle bin unless `forGood`. */
  remove(item: DriveItem, forGood = false): void {
    for (const one of itemsIn(item)) checkUnlocked(one);
    if (!forGood) {
      this.binned += sizeOf(item);
      this.bin.set(item.id, item);
    }
    for (const one of itemsIn(item)) {
      this.items.delete(one.id);
      const contents = [one, ...one.versions].map(({ content }) => content?.size ?? 0);
      for (const size of contents) this.#stored -= size;
      this.tombstones.set(one.id, {
        id: one.id,
        name: one.name,
        parentId: one.parent?.id ?? '',
        isFolder: one.children !== undefined,
        changed: ++this.changes,
      });
    }
    item.parent?.children?.delete(item.name.toLowerCase());
  }

  /** Takes an item out of the recycle bin, with all that was in it; the name must be free. */
  restore(item: DriveItem, parent: DriveItem, name: string): void {
    this.checkPlace(name, parent, item.children !== undefined);
    this.bin.delete(item.id);
    this.binned -= sizeOf(item);
    for (const one of itemsIn(item)) {
      this.items.set(one.id, one);
      this.tombstones.delete(one.id);
      const contents = [one, ...one.versions].map(({ content }) => content?.size ?? 0);
      for (const size of contents) this.#stored += size;
    }
    item.parent = parent;
    item.name = name;
    parent.children?.set(name.toLowerCase(), item);
    this.touched(item);
  }

  /** Notes that an item changed. */
  touched(item: DriveItem, isNew = false): void {
    item.serverModified = this.#time(this.#service.now());
    if (!isNew) item.revision++;
    item.changed = ++this.changes;
  }

  #newId(): string {
    const number = ++this.#lastId;
    if (this.type === 'personal') return `${this.id}!${number}`;
    return `01${(2 ** 40 + number * 7919).toString(32).toUpperCase().padStart(14, 'A')}`;
  }

  #time(ms: number): number {
    return Math.floor(ms / 1000) * 1000;
  }
}

/** Throws 423 for an item that somebody has open. */
export function checkUnlocked(item: DriveItem): void {
  if (item.locked) {
    throw new GraphFailure(423, 'resourceLocked', `The item is locked: ${item.name}`);
  }
}
