import { randomUUID } from 'node:crypto';
import { collectBody } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
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
} from '../../core/remote.ts';
import { deleteOneByOne } from '../../core/remote-calls.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { contentCheck, loadedHasher } from '../../hashes/content-hasher.ts';
import type { OpenParams } from '../backend.ts';
import { type MemoryFile, type MemoryNode, MemoryTree } from './memory-tree.ts';

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

/** The tree of each remote's traits: how a remote, wrapped or not, recognises another one on the same tree. */
const treeOf = new WeakMap<Traits, MemoryTree>();

/** A remote in memory, without public links. Every switch of `options` makes it behave like another backend, for tests. */
export function memoryRemote(options: MemoryOptions = {}): Remote {
  const settings: Required<MemoryOptions> = {
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
  const { tree, root, hashes, slowHash, modTimePrecision, slowModTime } = settings;
  const { caseInsensitive, emptyDirs } = settings;
  const traits: Traits = {
    hashes,
    slowHash,
    modTimePrecision,
    slowModTime,
    caseInsensitive,
    emptyDirs,
    sortedPages: settings.sorted,
    bucketBased: false,
    onDisk: true,
    inProcess: true,
  };
  treeOf.set(traits, tree);
  const at = (path: string) => joinPath(root, path);

  /** A file in a listing (`detailed` false), or of `stat` (true). */
  const fileEntry = (path: string, file: MemoryFile, detailed: boolean): FileEntry => ({
    kind: 'file',
    path,
    size: file.content.length,
    ...(file.modTime !== undefined && (detailed || !slowModTime) ? { modTime: file.modTime } : {}),
    ...(slowHash || hashes.length === 0 ? {} : { hashes: file.hashes }),
    ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    ...(file.id === undefined ? {} : { id: file.id }),
    ...(file.tier === undefined ? {} : { tier: file.tier }),
    ...(file.metadata === undefined || !detailed ? {} : { metadata: file.metadata }),
  });
  const entryOf = (path: string, node: MemoryNode, detailed: boolean): Entry =>
    node.kind === 'dir' ? { kind: 'dir', path } : fileEntry(path, node, detailed);
  const cutTime = (modTime: ModTime | undefined): ModTime | undefined => {
    const precision = modTimePrecision;
    if (precision === undefined) return undefined;
    const time = modTime ?? modTimeFromMs(settings.now());
    return time - (((time % precision) + precision) % precision);
  };
  const put = (path: string, file: MemoryFile): FileEntry => {
    tree.checkNoDir(at(path));
    tree.put(at(path), file);
    return fileEntry(path, file, true);
  };
  const remove = (path: string) => {
    tree.delete(path);
    if (!emptyDirs) tree.deleteEmptyDirs(parentPath(path), root);
  };
  const isOfTree = (from: Remote) => treeOf.get(from.traits) === tree;

  const can: Capabilities = {
    place: {
      kind: 'memory',
      store: tree.id,
      lineage: async (path) => {
        const fold = caseInsensitive ? foldName : undefined;
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
        return fileEntry(file.path, found, true);
      },
    },
    hash: async (file, name) => tree.file(at(file.path)).hashes[name],
    setModTime: async (file, modTime) =>
      put(file.path, { ...tree.file(at(file.path)), modTime: cutTime(modTime) }),
    async setTier(file, tier) {
      tree.put(at(file.path), { ...tree.file(at(file.path)), tier: tier.toUpperCase() });
    },
    async copyFrom(from, file, path, op) {
      op.signal.throwIfAborted();
      return isOfTree(from) ? put(path, tree.file(joinPath(from.root, file.path))) : undefined;
    },
    async moveFrom(from, file, path, op) {
      op.signal.throwIfAborted();
      if (!isOfTree(from)) return undefined;
      const source = joinPath(from.root, file.path);
      const moved = tree.file(source);
      if (source === at(path)) return fileEntry(path, moved, true);
      tree.checkNoDir(at(path));
      // Rejects where a file is in the way: then nothing is moved.
      tree.makeDir(parentPath(at(path)));
      remove(source);
      return put(path, moved);
    },
    async moveDirFrom(from, dir, path, op) {
      op.signal.throwIfAborted();
      const source = joinPath(from.root, dir);
      if (!isOfTree(from) || isWithin(source, at(path))) return false;
      const moved = tree.dir(source);
      const there = tree.find(at(path));
      if (there !== undefined && there !== moved) {
        throw new SyncerError('already-exists', `${path}: directory already exists`, { path });
      }
      tree.makeDir(parentPath(at(path)));
      remove(source);
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
      const paths = emptyDirs || tree.find(at(dir)) ? filePaths(tree, at(dir), dir) : [];
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
        entries: page.map((path) => fileEntry(path, tree.file(at(path)), false)),
        ...(rest.length > page.length && last !== undefined ? { cursor: last } : {}),
      };
    },
    async about() {
      const files = filePaths(tree, '', '').map((path) => tree.file(path));
      const used = files.reduce((sum, file) => sum + file.content.length, 0);
      return { used, objects: files.length };
    },
  };

  return {
    name: settings.name,
    root,
    title: `memory root '${root}'`,
    traits,
    can: Object.fromEntries(
      Object.entries(can).filter(([name]) => !settings.without.some((absent) => absent === name)),
    ),

    async listPage(dir, cursor, op): Promise<Page> {
      op.signal.throwIfAborted();
      if (!emptyDirs && tree.find(at(dir)) === undefined) return { entries: [] };
      const entries = [...tree.dir(at(dir)).children.values()]
        .map(({ name, node }) => entryOf(joinPath(dir, name), node, false))
        .sort(compareEntries);
      if (!settings.sorted) entries.reverse();
      const from = Number(cursor ?? 0);
      const end = from + settings.pageSize;
      const page = { entries: entries.slice(from, end) };
      return end < entries.length ? { ...page, cursor: String(end) } : page;
    },

    async stat(path, op) {
      op.signal.throwIfAborted();
      const node = tree.find(at(path));
      return node === undefined ? undefined : entryOf(path, node, true);
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
      const check = contentCheck(source);
      const hasher = await loadedHasher(hashes);
      const body = await source.open(undefined, { signal: op.signal });
      const content = await collectBody(body, op.signal);
      check.update(content);
      check.finish();
      hasher.update(content);
      return put(source.path, {
        kind: 'file',
        // The content read belongs to the source, and may change.
        content: Buffer.from(content),
        hashes: hasher.digest(),
        modTime: cutTime(source.modTime),
        mimeType: source.mimeType,
        ...(settings.ids ? { id: randomUUID() } : {}),
        ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
      });
    },

    async delete(files, op) {
      op.signal.throwIfAborted();
      return deleteOneByOne(files, op, async (file) => {
        tree.file(at(file.path));
        remove(at(file.path));
      });
    },

    async makeDir(dir, op) {
      op.signal.throwIfAborted();
      if (emptyDirs) tree.makeDir(at(dir));
    },

    async deleteDir(dir, op) {
      op.signal.throwIfAborted();
      if (!emptyDirs) return;
      if (tree.dir(at(dir)).children.size > 0) {
        throw new SyncerError('not-empty', `${dir}: directory not empty`, { path: dir });
      }
      tree.delete(at(dir));
    },

    async close() {},
  };
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
