import { SyncerError } from '../../core/errors.ts';
import { compareNames, foldName } from '../../core/name-order.ts';
import { ancestorsOf } from '../../core/place.ts';
import { type Capabilities, type FileEntry, mostDeleted, type Remote } from '../../core/remote.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import type { Traits } from '../../core/traits.ts';
import { cutTime, fileEntryOf } from './memory-entry.ts';
import type { MemorySettings } from './memory-options.ts';
import type { MemoryFile, MemoryTree } from './memory-tree.ts';

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
