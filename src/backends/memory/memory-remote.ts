import { randomUUID } from 'node:crypto';
import { collectBody } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import { deleteOneByOne } from '../../core/deleting.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import { compareEntries, compareNames, foldName } from '../../core/name-order.ts';
import { ancestorsOf } from '../../core/place.ts';
import {
  type Capabilities,
  type Entry,
  type FileEntry,
  mostDeleted,
  type Page,
  type Remote,
  type WriteSource,
} from '../../core/remote.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { contentCheck, loadedHasher } from '../../hashes/content-hasher.ts';
import type { OpenParams } from '../backend.ts';
import { type MemoryFile, type MemoryNode, MemoryTree } from './memory-tree.ts';

/** A remote in memory. Every switch of `options` makes it behave like another backend, for tests. */
export function memoryRemote(options: MemoryOptions = {}): Remote {
  const settings = settingsOf(options);
  const { tree, root } = settings;
  const at = (path: string) => joinPath(root, path);
  const traits = traitsOf(settings);
  return {
    name: settings.name,
    root,
    title: `memory root '${root}'`,
    traits,
    can: without(memoryCapabilities(settings, traits), settings.without),

    async listPage(dir, cursor, op): Promise<Page> {
      op.signal.throwIfAborted();
      if (!settings.emptyDirs && tree.find(at(dir)) === undefined) return { entries: [] };
      const entries = [...tree.dir(at(dir)).children.values()]
        .map(({ name, node }) => entryOf(settings, joinPath(dir, name), node, false))
        .sort(compareEntries);
      if (!settings.sorted) entries.reverse();
      return pageOf(entries, cursor, settings.pageSize);
    },

    async stat(path, op) {
      op.signal.throwIfAborted();
      const node = tree.find(at(path));
      return node === undefined ? undefined : entryOf(settings, path, node, true);
    },

    async read(file, range, op) {
      op.signal.throwIfAborted();
      const { content } = tree.file(at(file.path));
      const from = range?.offset ?? 0;
      return content.subarray(from, range?.length === undefined ? undefined : from + range.length);
    },

    async write(source, op) {
      op.signal.throwIfAborted();
      tree.checkNoDir(at(source.path));
      const { content, hashes } = await contentOf(settings, source, op.signal);
      tree.checkNoDir(at(source.path));
      const file = {
        kind: 'file',
        content,
        hashes,
        modTime: cutTime(settings, source.modTime),
        mimeType: source.mimeType,
        ...(settings.ids ? { id: randomUUID() } : {}),
        ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
      } as const;
      tree.put(at(source.path), file);
      return fileEntryOf(settings, source.path, file, true);
    },

    async delete(files, op) {
      op.signal.throwIfAborted();
      return deleteOneByOne(files, op, async (file) => {
        tree.file(at(file.path));
        tree.delete(at(file.path));
        if (!settings.emptyDirs) tree.deleteEmptyDirs(parentPath(at(file.path)), root);
      });
    },

    async makeDir(dir, op) {
      op.signal.throwIfAborted();
      if (settings.emptyDirs) tree.makeDir(at(dir));
    },

    async deleteDir(dir, op) {
      op.signal.throwIfAborted();
      if (!settings.emptyDirs) return;
      if (tree.dir(at(dir)).children.size > 0) {
        throw new SyncerError('not-empty', `${dir}: directory not empty`, { path: dir });
      }
      tree.delete(at(dir));
    },

    async close() {},
  };
}

async function contentOf(
  settings: MemorySettings,
  source: WriteSource,
  signal: AbortSignal,
): Promise<{ content: Buffer; hashes: Hashes }> {
  const check = contentCheck(source);
  const hasher = await loadedHasher(settings.hashes);
  const content = await collectBody(await source.open(undefined, { signal }), signal);
  check.update(content);
  check.finish();
  hasher.update(content);
  // The content read belongs to the source, and may change.
  return { content: Buffer.from(content), hashes: hasher.digest() };
}

function pageOf(entries: readonly Entry[], cursor: string | undefined, size: number): Page {
  const from = Number(cursor ?? 0);
  const page = entries.slice(from, from + size);
  return from + size < entries.length
    ? { entries: page, cursor: String(from + size) }
    : { entries: page };
}

function traitsOf(settings: MemorySettings): Traits {
  return {
    hashes: settings.hashes,
    slowHash: settings.slowHash,
    modTimePrecision: settings.modTimePrecision,
    slowModTime: settings.slowModTime,
    caseInsensitive: settings.caseInsensitive,
    emptyDirs: settings.emptyDirs,
    sortedPages: settings.sorted,
    bucketBased: false,
    onDisk: true,
    inProcess: true,
  };
}

function without(all: Capabilities, names: readonly (keyof Capabilities)[]): Capabilities {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !names.some((absent) => absent === name)),
  );
}

/** One tree per run and remote name, so that two remotes of one command see the same files. */
const trees = new WeakMap<Context, Map<string, MemoryTree>>();

/** Opens a remote in memory at `params.root`. */
export async function open(params: OpenParams): Promise<Remote> {
  const ofRun = trees.get(params.context) ?? new Map<string, MemoryTree>();
  trees.set(params.context, ofRun);
  const tree = ofRun.get(params.name) ?? new MemoryTree();
  ofRun.set(params.name, tree);
  return memoryRemote({ name: params.name, root: params.root.replace(/^\/+|\/+$/g, ''), tree });
}

/** The entry of a node in a listing (`detailed` false) or of `stat` (true). */
export function entryOf(
  settings: MemorySettings,
  path: string,
  node: MemoryNode,
  detailed: boolean,
): Entry {
  return node.kind === 'dir' ? { kind: 'dir', path } : fileEntryOf(settings, path, node, detailed);
}

/** As `entryOf`, for a file. */
export function fileEntryOf(
  settings: MemorySettings,
  path: string,
  file: MemoryFile,
  detailed: boolean,
): FileEntry {
  return {
    kind: 'file',
    path,
    size: file.content.length,
    ...(file.modTime !== undefined && (detailed || !settings.slowModTime)
      ? { modTime: file.modTime }
      : {}),
    ...(settings.slowHash || settings.hashes.length === 0 ? {} : { hashes: file.hashes }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.id === undefined ? {} : { id: file.id }),
    ...(file.tier === undefined ? {} : { tier: file.tier }),
    ...(file.metadata === undefined || !detailed ? {} : { metadata: file.metadata }),
  };
}

/** A time in the precision of the remote; the current one by default. */
export function cutTime(
  settings: MemorySettings,
  modTime: ModTime | undefined,
): ModTime | undefined {
  const precision = settings.modTimePrecision;
  if (precision === undefined) return undefined;
  const time = modTime ?? modTimeFromMs(settings.now());
  return time - (((time % precision) + precision) % precision);
}

/** The tree of each remote's traits: how a remote, wrapped or not, recognises another one on the same tree. */
const treeOf = new WeakMap<Traits, MemoryTree>();

/** The optional capabilities of a remote in memory; no public links. */
export function memoryCapabilities(settings: MemorySettings, traits: Traits): Capabilities {
  const { tree, root } = settings;
  const at = (path: string) => joinPath(root, path);
  const settle = (path: string, file: MemoryFile): FileEntry => {
    tree.checkNoDir(at(path));
    tree.put(at(path), file);
    return fileEntryOf(settings, path, file, true);
  };
  const sameTree = (from: Remote) => treeOf.get(from.traits) === tree;
  treeOf.set(traits, tree);

  return {
    place: {
      kind: 'memory',
      store: tree.id,
      lineage: async (path) => {
        const fold = settings.caseInsensitive ? foldName : undefined;
        return { ancestors: ancestorsOf(`memory ${tree.id}:`, at(path), fold) };
      },
      views: async () => ({ of: [], lateMs: 0 }),
    },
    details: {
      body: true,
      async read(file, op, { onBody } = {}) {
        if (onBody !== undefined) op.signal.throwIfAborted();
        const found = tree.file(at(file.path));
        onBody?.(found.content);
        return fileEntryOf(settings, file.path, found, true);
      },
    },
    async hash(file, name) {
      return tree.file(at(file.path)).hashes[name];
    },
    async setModTime(file, modTime) {
      return settle(file.path, {
        ...tree.file(at(file.path)),
        modTime: cutTime(settings, modTime),
      });
    },
    async setTier(file, tier) {
      tree.put(at(file.path), { ...tree.file(at(file.path)), tier: tier.toUpperCase() });
    },
    async copyFrom(from, file, path, op) {
      op.signal.throwIfAborted();
      if (!sameTree(from)) return undefined;
      return settle(path, tree.file(joinPath(from.root, file.path)));
    },
    async moveFrom(from, file, path, op) {
      op.signal.throwIfAborted();
      if (!sameTree(from)) return undefined;
      const source = joinPath(from.root, file.path);
      const moved = tree.file(source);
      if (source === at(path)) return fileEntryOf(settings, path, moved, true);
      tree.checkNoDir(at(path));
      tree.delete(source);
      if (!settings.emptyDirs) tree.deleteEmptyDirs(parentPath(source), root);
      return settle(path, moved);
    },
    async moveDirFrom(from, dir, path, op) {
      op.signal.throwIfAborted();
      const source = joinPath(from.root, dir);
      if (!sameTree(from) || isWithin(source, at(path))) return false;
      const moved = tree.dir(source);
      const there = tree.find(at(path));
      if (there !== undefined && there !== moved) {
        throw new SyncerError('already-exists', `${path}: directory already exists`, { path });
      }
      tree.delete(source);
      if (!settings.emptyDirs) tree.deleteEmptyDirs(parentPath(source), root);
      tree.put(at(path), moved);
      return true;
    },
    async purge(dir, op) {
      op.signal.throwIfAborted();
      const purged = tree.dir(at(dir));
      if (at(dir) === '') purged.children.clear();
      else tree.delete(at(dir));
    },
    deletesAtOnce: mostDeleted,
    async listTreePage(dir, cursor, op, range) {
      op.signal.throwIfAborted();
      const paths = settings.emptyDirs || tree.find(at(dir)) ? filePaths(tree, at(dir), dir) : [];
      const inDir = dir === '' ? '' : `${dir}/`;
      const start = cursor ?? (range?.after === undefined ? undefined : inDir + range.after);
      const end = range?.last === undefined ? undefined : inDir + range.last;
      const rest = paths.filter(
        (path) =>
          (start === undefined || compareNames(path, start) > 0) &&
          (end === undefined || compareNames(path, end) <= 0),
      );
      const page = rest.slice(0, range?.most ?? settings.pageSize);
      const last = page.at(-1);
      return {
        entries: page.map((path) => fileEntryOf(settings, path, tree.file(at(path)), false)),
        ...(rest.length > page.length && last !== undefined ? { cursor: last } : {}),
      };
    },
    async about() {
      const files = filePaths(tree, '', '').map((path) => tree.file(path));
      return {
        used: files.reduce((sum, file) => sum + file.content.length, 0),
        objects: files.length,
      };
    },
  };
}

/** All files below `at` in the tree, with paths below `shown`, sorted by whole path. */
function filePaths(tree: MemoryTree, at: string, shown: string): string[] {
  const paths: string[] = [];
  for (const { name, node } of tree.dir(at).children.values()) {
    const path = joinPath(shown, name);
    if (node.kind === 'file') paths.push(path);
    else paths.push(...filePaths(tree, joinPath(at, name), path));
  }
  return paths.sort(compareNames);
}

/** The options of a remote in memory; every switch has the most capable setting as its default. */
export interface MemoryOptions {
  readonly name?: string;
  readonly root?: string;
  /** The files. Remotes on the same tree see each other's, and can copy and move between each other. */
  readonly tree?: MemoryTree;
  /** Entries on a page of a listing; 1,000. */
  readonly pageSize?: number;
  /** Whether pages are in the order of `compareEntries`; otherwise in the reverse order. */
  readonly sorted?: boolean;
  readonly hashes?: readonly HashName[];
  /** Whether hashes are only available through `can.hash`, as on a local disk. */
  readonly slowHash?: boolean;
  /** In nanoseconds; times are truncated to it. An explicit `undefined` keeps no times. */
  readonly modTimePrecision?: bigint | undefined;
  /** Whether listings lack times, so that `can.details` is needed, as on S3. */
  readonly slowModTime?: boolean;
  readonly caseInsensitive?: boolean;
  /** Whether directories exist without files; otherwise as on S3. */
  readonly emptyDirs?: boolean;
  /** Whether files have identifiers, which a rename keeps. */
  readonly ids?: boolean;
  readonly without?: readonly (keyof Capabilities)[];
  /** Milliseconds since the epoch, for files written without a time. */
  readonly now?: () => number;
}

/** `MemoryOptions` with all defaults applied. */
export type MemorySettings = Required<MemoryOptions>;

/** The options with their defaults. */
export function settingsOf(options: MemoryOptions): MemorySettings {
  return {
    name: '',
    root: '',
    pageSize: 1000,
    sorted: true,
    hashes: ['md5', 'sha1', 'sha256', 'crc32', 'quickxor'],
    slowHash: false,
    modTimePrecision: 1n,
    slowModTime: false,
    caseInsensitive: false,
    emptyDirs: true,
    ids: false,
    without: [],
    now: Date.now,
    tree: new MemoryTree(options.caseInsensitive),
    ...options,
  };
}
