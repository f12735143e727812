import type { Context } from '../core/context.ts';
import { toSyncerError } from '../core/errors.ts';
import { modTimeFromMs } from '../core/mod-time.ts';
import type { Remote } from '../core/remote.ts';
import { linkedAbort } from '../kit/linked-abort.ts';
import type { FileContents } from './contents/file-contents.ts';
import { TreeLocks } from './locks/tree-locks.ts';
import type { Invalidations } from './mount-ops.ts';
import { Tree } from './tree/tree.ts';
import { addPendingDirs, noteUploaded } from './uploaded.ts';
import { Vfs } from './vfs.ts';
import type { VfsOptions } from './vfs-options.ts';
import type { VfsParts } from './vfs-parts.ts';

/** About 200 MB. */
const NODE_LIMIT = 250_000;

/**
 * A file system above a remote whose bytes come and go through `contents`. It is to be closed.
 *
 * @param nodeLimit see `VfsParts.nodeLimit`
 */
export function openVfs(
  remote: Remote,
  contents: FileContents,
  options: VfsOptions,
  context: Pick<Context, 'signal' | 'clock' | 'emit'>,
  nodeLimit = NODE_LIMIT,
): Vfs {
  const { clock, emit } = context;
  const life = linkedAbort(context.signal);
  let told: Invalidations | undefined;
  const parts: VfsParts = {
    remote,
    contents,
    options,
    clock,
    tree: new Tree(),
    locks: new TreeLocks(),
    renaming: new Map(),
    invalidations: {
      inode: (inode) => told?.inode(inode),
      entry: (parent, name) => told?.entry(parent, name),
    },
    signal: life.signal,
    nodeLimit,
    startedAt: modTimeFromMs(clock.now()),
    ignoresCase: options.caseInsensitive || remote.traits.caseInsensitive,
    log: (message, path, thrown) => {
      const error = toSyncerError(thrown);
      const text = `${message}: ${error.message}`;
      emit({ type: 'log', level: 'error', path, message: text, error });
    },
  };
  addPendingDirs(parts);
  contents.onUploaded((path, entry) => noteUploaded(parts, path, entry));
  return new Vfs(parts, life, (invalidations) => {
    told = invalidations;
  });
}
