import { hasCode, SyncerError } from '../../../core/errors.ts';
import { foldName } from '../../../core/name-order.ts';
import { isWithin, joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import type { GraphCalls } from '../client/graph-client.ts';
import { badAnswer, hasStatus } from '../client/graph-request.ts';
import type { DriveSettings } from '../settings.ts';
import { differs, findItem, wantedAt } from './get-item.ts';
import {
  contentOf,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  idOf,
  isSameId,
  ROOT,
  requestPath,
  targetOf,
} from './graph-item.ts';

/** The drive whose directories are tracked. */
export interface DirectoriesOf {
  readonly settings: Pick<DriveSettings, 'driveId' | 'rootFolderId' | 'remote' | 'isChina'>;
  known(calls: GraphCalls): Promise<{ readonly id: string }>;
}

/**
 * The item IDs of directories. Paths below a known one are addressed from there: shortcuts to other drives are
 * followed, and listed directories need no request. Paths are below the drive's root, as the service spells them.
 */
export class Directories {
  readonly #store: DirectoriesOf;
  /** By folded path; for a shortcut, its target. */
  readonly #known = new Map<string, ItemId>();
  readonly #shortcuts = new Map<string, ItemId>();
  readonly #beingMade = new Map<string, Promise<ItemId>>();
  #rootCheck: Promise<void> | undefined;

  constructor(store: DirectoriesOf) {
    this.#store = store;
  }

  /** The address of a path, from the nearest known directory; in China from the one it is in, if that exists. */
  async locate(calls: GraphCalls, path: string): Promise<ItemAddress> {
    const address = await this.#nearest(calls, path);
    if (!this.#store.settings.isChina || !address.rest.includes('/')) return address;
    await this.look(calls, parentPath(path));
    return this.#nearest(calls, path);
  }

  async #nearest(calls: GraphCalls, path: string): Promise<ItemAddress> {
    for (let dir = path; dir !== ''; dir = parentPath(dir)) {
      const known = this.#known.get(foldName(dir));
      if (known !== undefined) return { ...known, rest: path.slice(dir.length + 1) };
    }
    const { id: driveId } = await this.#store.known(calls);
    const { rootFolderId } = this.#store.settings;
    if (rootFolderId === '') return { driveId, id: ROOT, rest: path };
    return { driveId, id: rootFolderId, hasAliases: true, rest: path };
  }

  /** As `locate`, but a shortcut is itself and not its target. */
  async locateSelf(calls: GraphCalls, path: string): Promise<ItemAddress> {
    const shortcut = this.shortcutAt(path);
    if (shortcut !== undefined) return { ...shortcut, rest: '' };
    if (path === '') return this.locate(calls, '');
    const parent = await this.locate(calls, parentPath(path));
    return { ...parent, rest: joinPath(parent.rest, leafName(path)) };
  }

  /** The shortcut at a path, if known. */
  shortcutAt(path: string): ItemId | undefined {
    return this.#shortcuts.get(foldName(path));
  }

  /**
   * The id of what a path goes down from: the target of the last known shortcut on it, else the root of the options.
   * Below equal ones, paths alone say what is one.
   */
  anchorOf(path: string, driveId: string): string {
    for (let dir = path; dir !== ''; dir = parentPath(dir)) {
      const key = foldName(dir);
      const target = this.#shortcuts.has(key) ? this.#known.get(key) : undefined;
      if (target !== undefined) return idOf(target);
    }
    return idOf({ driveId, id: this.#store.settings.rootFolderId || ROOT });
  }

  /** Records the item at a path from a response. */
  learn(path: string, item: GraphItem, driveId: string): void {
    const key = foldName(path);
    const isTarget = isSameId(item.id, this.#known.get(key)?.id ?? '');
    // The target of a known shortcut shows nothing about the shortcut.
    if (isTarget && this.#shortcuts.has(key)) return;
    if (item.remoteItem !== undefined && item.id !== undefined) {
      this.#shortcuts.set(key, { driveId, id: item.id });
    } else {
      this.#shortcuts.delete(key);
    }
    if (contentOf(item).folder !== undefined) this.#known.set(key, targetOf(item, driveId));
    else this.#known.delete(key);
  }

  /** The path and everything below it may have changed or been deleted. */
  forget(path: string): void {
    const gone = foldName(path);
    for (const map of [this.#known, this.#shortcuts]) {
      for (const known of map.keys()) if (isWithin(gone, known)) map.delete(known);
    }
  }

  /** The item at a path; `undefined` if there is none. Shortcuts on the way are followed. */
  async look(calls: GraphCalls, path: string): Promise<GraphItem | undefined> {
    const address = await this.locate(calls, path);
    const item = await this.#get(calls, address, path);
    if (item !== undefined || !address.rest.includes('/')) return item;
    // A path through a shortcut does not exist until the shortcut is known.
    const parent = await this.look(calls, parentPath(path));
    if (parent === undefined || !this.#crossesShortcut(path)) return undefined;
    return this.#get(calls, await this.locate(calls, path), path);
  }

  /** The directory at a path, created with its parents if missing. Rejects with `not-a-directory`. */
  async ensure(calls: GraphCalls, path: string): Promise<ItemId> {
    const key = foldName(path);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const making = this.#beingMade.get(key) ?? this.#ensure(calls, path);
    this.#beingMade.set(key, making);
    try {
      return await making;
    } finally {
      if (this.#beingMade.get(key) === making) this.#beingMade.delete(key);
    }
  }

  /** As `ensure`; the root of the drive by its id, because only that can be sent as a parent. */
  async ensureWithId(calls: GraphCalls, path: string): Promise<ItemId> {
    const folder = await this.ensure(calls, path);
    if (folder.id !== ROOT) return folder;
    const root = await this.#get(calls, { ...folder, rest: '' }, path);
    return { ...folder, id: root?.id ?? ROOT };
  }

  async #ensure(calls: GraphCalls, path: string): Promise<ItemId> {
    if (path === '') {
      const { rest: _, ...root } = await this.locate(calls, '');
      return root;
    }
    const address = await this.locate(calls, path);
    const found = await this.#get(calls, address, path);
    if (found !== undefined) return asDirectory(found, path, address.driveId);
    const parent = await this.ensure(calls, parentPath(path));
    try {
      return await this.#make(calls, parent, path);
    } catch (thrown) {
      if (!hasStatus(thrown, 409)) throw thrown;
      // Another client created it, or an earlier attempt whose response was lost.
      const there = await this.#get(calls, { ...parent, rest: leafName(path) }, path);
      if (there === undefined) throw thrown;
      return asDirectory(there, path, parent.driveId);
    }
  }

  async #make(calls: GraphCalls, parent: ItemId, path: string): Promise<ItemId> {
    const name = leafName(path);
    const request = {
      method: 'POST',
      to: requestPath({ ...parent, rest: '' }, '/children'),
      json: { name, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
      isNaming: true,
      doing: 'create the directory',
      about: path,
    } as const;
    const { json } = await calls.call(request);
    const address = { ...parent, rest: name };
    const wrong = differs(json, { ...wantedAt(address), isFolder: true });
    const item = wrong === undefined ? (json as GraphItem) : await this.#get(calls, address, path);
    if (item === undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
    this.learn(path, item, parent.driveId);
    return asDirectory(item, path, parent.driveId);
  }

  async #get(
    calls: GraphCalls,
    address: ItemAddress,
    path: string,
  ): Promise<GraphItem | undefined> {
    const about = path === '' ? 'the root' : path;
    const item = await findItem(calls, address, about).catch(async (thrown) => {
      if (hasStatus(thrown, 400)) await this.#checkRoot(calls);
      throw thrown;
    });
    if (item === undefined) await this.#checkRoot(calls);
    // Asked for by its own id, the target of a shortcut may answer with another one.
    const isTarget = address.rest === '' && this.#shortcuts.has(foldName(path));
    if (item !== undefined && !isTarget) this.learn(path, item, address.driveId);
    return item;
  }

  /**
   * Something is missing: rejects with `config` if the reason is that the drive or the folder of the options does not
   * exist. Requested once.
   */
  #checkRoot(calls: GraphCalls): Promise<void> {
    this.#rootCheck ??= this.#findRoot(calls).catch((thrown) => {
      if (!hasCode(thrown, 'config')) this.#rootCheck = undefined;
      throw thrown;
    });
    return this.#rootCheck;
  }

  async #findRoot(calls: GraphCalls): Promise<void> {
    const { driveId: given, rootFolderId, remote } = this.#store.settings;
    // The drive of an account was found by a request.
    if (given === '' && rootFolderId === '') return;
    const { id: driveId } = await this.#store.known(calls);
    const root = { driveId, id: rootFolderId || ROOT, hasAliases: true, rest: '' };
    try {
      if ((await findItem(calls, root, 'the root')) !== undefined) return;
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

  #crossesShortcut(path: string): boolean {
    for (let dir = parentPath(path); dir !== ''; dir = parentPath(dir)) {
      if (this.#shortcuts.has(foldName(dir))) return true;
    }
    return false;
  }
}

function asDirectory(item: GraphItem, path: string, driveId: string): ItemId {
  if (contentOf(item).folder !== undefined) return targetOf(item, driveId);
  throw new SyncerError('not-a-directory', `cannot create the directory ${path}: it is a file`);
}
