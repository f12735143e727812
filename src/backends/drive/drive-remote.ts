import type { TokenKeeper } from '../../auth/token-keeper.ts';
import { innermost } from '../../core/around.ts';
import type { HashName } from '../../core/hash-names.ts';
import type {
  Body,
  Capabilities,
  Entry,
  FileEntry,
  Op,
  Page,
  ReadRange,
  Remote,
  Traits,
  WriteSource,
} from '../../core/remote.ts';
import { cleanUp } from './change/clean-up.ts';
import { copyFile } from './change/copy.ts';
import { moveDir, moveFile } from './change/move.ts';
import { purgeDir, removeDir, removeFile } from './change/remove.ts';
import { removeFiles } from './change/remove-many.ts';
import { setModTime } from './change/set-mod-time.ts';
import { shareEntry, unshareEntry } from './change/share-link.ts';
import { takeBack } from './change/take-back.ts';
import { drivePlace } from './drive-place.ts';
import { aboutDrive } from './listing/about-drive.ts';
import { listByDelta } from './listing/list-by-delta.ts';
import { listChildren } from './listing/list-children.ts';
import { readChanges } from './listing/read-changes.ts';
import { statPath } from './listing/stat-path.ts';
import { LONGEST_PATH } from './name-limits.ts';
import { hashOf } from './read/hash-of.ts';
import { readFile } from './read/read-file.ts';
import type { DriveStore } from './store.ts';
import { writeFile } from './upload/write-file.ts';
import { userInfo } from './user-info.ts';

/** A drive, or a folder of one, as a `Remote`. */
export class DriveRemote implements Remote {
  readonly name: string;
  readonly root: string;
  readonly storeId: string;
  readonly title: string;
  readonly traits: Traits;
  readonly can: Capabilities;
  readonly #store: DriveStore;
  readonly #keeper: TokenKeeper;

  constructor(store: DriveStore, keeper: TokenKeeper) {
    this.#store = store;
    this.#keeper = keeper;
    this.name = store.settings.remote;
    this.root = store.root;
    this.storeId = storeIdOf(store);
    this.title = store.title;
    this.traits = traitsOf(store.settings.hashes);
    this.can = this.#capabilities();
  }

  isTooLong(path: string): boolean {
    return this.#store.toService(path).length > LONGEST_PATH;
  }

  async listPage(dir: string, cursor: string | undefined, op: Op): Promise<Page> {
    op.signal.throwIfAborted();
    return listChildren(this.#store, dir, cursor, op);
  }

  stat(path: string, op: Op): Promise<Entry | undefined> {
    return statPath(this.#store, path, op);
  }

  read(file: FileEntry, range: ReadRange | undefined, op: Op): Promise<Body> {
    return readFile(this.#store, file, range, op);
  }

  write(source: WriteSource, op: Op): Promise<FileEntry> {
    return writeFile(this.#store, source, op);
  }

  remove(file: FileEntry, op: Op): Promise<void> {
    return removeFile(this.#store, file, op);
  }

  async makeDir(dir: string, op: Op): Promise<void> {
    op.signal.throwIfAborted();
    await this.#store.folders.ensure(this.#store.toService(dir), op);
  }

  removeDir(dir: string, op: Op): Promise<void> {
    return removeDir(this.#store, dir, op);
  }

  async close(): Promise<void> {
    await this.#keeper.finish();
    this.#store.client.close();
  }

  #capabilities(): Capabilities {
    const store = this.#store;
    const storeOf = (from: Remote) => {
      const remote = innermost(from);
      const isOne = remote instanceof DriveRemote && isSameService(remote.#store, store);
      return isOne ? remote.#store : undefined;
    };
    return {
      place: drivePlace(store),
      hash: (file, name, op) => hashOf(store, file, name, op),
      setModTime: (file, modTime, op) => setModTime(store, file, modTime, op),
      copyFrom: async (from, file, path, op) => {
        const source = storeOf(from);
        return source && copyFile(source, store, file, path, op);
      },
      moveFrom: async (from, file, path, op) => {
        const source = storeOf(from);
        return source && moveFile(source, store, file, path, op);
      },
      moveDirFrom: async (from, dir, path, op) => {
        const source = storeOf(from);
        return source === undefined ? false : moveDir(source, store, dir, path, op);
      },
      takeBack: (file, since, op) => takeBack(store, file, since, op),
      purge: (dir, op) => purgeDir(store, dir, op),
      removeMany: (files, op) => removeFiles(store, files, op),
      listDirs: (op) => listByDelta(store, op),
      changes: (token, op) => readChanges(store, token, op),
      about: (op) => aboutDrive(store, op),
      publicLink: (entry, expireMs, op) => shareEntry(store, entry, expireMs, op),
      removeLink: (entry, op) => unshareEntry(store, entry, op),
      cleanUp: (maxAgeMs, op) => cleanUp(store, maxAgeMs, op),
      disconnect: () => this.#keeper.forget(),
      userInfo: (op) => userInfo(store, this.#keeper, op),
    };
  }
}

function traitsOf(hashes: readonly HashName[]): Traits {
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
  };
}

function isSameService(a: DriveStore, b: DriveStore): boolean {
  return a.settings.graphUrl.href === b.settings.graphUrl.href;
}

/** The service and the drive, and how its names become paths; of an account's own drive the login that leads there. */
function storeIdOf({ settings }: DriveStore): string {
  const { graphUrl, driveId, rootFolderId, encoding, remote, login } = settings;
  const { anywhere, first, last, ...flags } = encoding.rules;
  const drive = driveId === '' ? ['of', remote, login.clientId] : [driveId.toLowerCase()];
  const rules = [[...anywhere], [...first], [...last], flags];
  return JSON.stringify(['drive', graphUrl.href, drive, rootFolderId, rules]);
}
