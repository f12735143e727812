import { type Context, linkedAbort } from '../core/context.ts';
import { toSyncerError } from '../core/errors.ts';
import { modTimeFromMs } from '../core/mod-time.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { leafName, parentPath } from '../core/remote-path.ts';
import type { FileContents } from './contents/contents.ts';
import { isShown } from './listing/apply-listing.ts';
import { Listings } from './listing/listings.ts';
import { TreeLocks } from './locks/tree-locks.ts';
import type { Invalidations } from './mount-ops.ts';
import type { DirNode } from './tree/node.ts';
import { Tree } from './tree/tree.ts';
import { Vfs } from './vfs.ts';
import type { VfsOptions } from './vfs-options.ts';
import { Handles, type VfsParts } from './vfs-parts.ts';

/** About 200 MB. */
const NODE_LIMIT = 250_000;

/**
 * A remote as a file system, with its bytes in `contents`. The caller closes it.
 *
 * @param invalidations receives what the kernel must forget
 * @param nodeLimit see `VfsParts.nodeLimit`
 */
export function openVfs(
  remote: Remote,
  contents: FileContents,
  options: VfsOptions,
  context: Pick<Context, 'signal' | 'clock' | 'emit'>,
  invalidations: Invalidations = { inode: () => {}, entry: () => {} },
  nodeLimit = NODE_LIMIT,
): Vfs {
  const { clock, emit } = context;
  const { naming } = remote.can;
  const ignoresCase = options.caseInsensitive || remote.traits.caseInsensitive;
  const isUnknown = !ignoresCase && naming !== undefined && naming.ignoresCase('') === undefined;
  // Whether names that differ only in case are one: an empty disk shows that by a temporary file only.
  const isOneName = isUnknown && !options.readOnly && naming.areOne('', 'a', 'A', true) === true;
  const life = linkedAbort(context.signal);
  const parts: VfsParts = {
    get listings() {
      return listings;
    },
    remote,
    contents,
    options,
    clock,
    tree: new Tree(),
    files: new Handles(),
    locks: new TreeLocks(),
    renaming: new Map(),
    invalidations,
    signal: life.signal,
    nodeLimit,
    startedAt: modTimeFromMs(clock.now()),
    ignoresCase: ignoresCase || isOneName,
    log: (doing, path, thrown) => {
      const fields = { doing, error: toSyncerError(thrown) };
      emit({ type: 'log', level: 'error', path, code: 'mount-failed', fields });
    },
  };
  const listings = new Listings(parts);
  // The remote may lack the directories of pending files of an earlier mount.
  for (const { path } of contents.pendingBelow('')) {
    let dir = parts.tree.root;
    for (const name of parentPath(path) === '' ? [] : parentPath(path).split('/')) {
      const known = dir.children.get(name);
      const next = known?.kind === 'dir' ? known : parts.tree.newDir(dir, name, undefined);
      if (next !== known) {
        next.becameVirtual();
        parts.tree.attach(dir, name, next);
      }
      dir = next;
    }
  }
  contents.onUploaded((path, entry) => noteUploaded(parts, path, entry));
  return new Vfs(parts, listings, life);
}

/** The remote now has the newest content of a file. */
function noteUploaded(vfs: VfsParts, path: string, entry: FileEntry): void {
  let dir = vfs.tree.root;
  for (const above of parentPath(path) === '' ? [] : parentPath(path).split('/')) {
    const next = dir.children.get(above);
    if (next?.kind !== 'dir') return;
    dir = next;
  }
  const name = leafName(path);
  let node = dir.children.get(name);
  // Running reads of the directory may miss a name that is new here.
  if (node === undefined && dir.changes.isRead && isShown(vfs, dir, name, entry)) {
    node = vfs.tree.newFile(dir, name, entry);
    vfs.tree.attach(dir, name, node);
  }
  if (node?.kind !== 'file') return;
  node.foundAs(entry);
  if (vfs.contents.pending(path) === undefined) node.uploaded();
  dir.changes.forgetLeftover(name);
  dir.changes.note(name, node);
  if (!vfs.remote.traits.emptyDirs) return;
  // It was created with the directories above it.
  for (let at: DirNode | undefined = dir; at !== undefined; at = at.parent) at.becameReal();
}
