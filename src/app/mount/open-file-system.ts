import type { Context } from '../../core/context.ts';
import type { Op, Remote } from '../../core/remote.ts';
import type { ContentsState } from '../../vfs/contents/file-contents.ts';
import { openContents } from '../../vfs/contents/open-contents.ts';
import type { ReadFromMemory } from '../../vfs/contents/read-from-memory.ts';
import type { Invalidations, MountOps } from '../../vfs/mount-ops.ts';
import { openVfs } from '../../vfs/open-vfs.ts';
import type { VfsOptions } from '../../vfs/vfs-options.ts';

/** A remote as a file system, and what the life of a mount needs of it. */
export interface FileSystem {
  readonly ops: MountOps;
  /** Figures for people: uploads and cache. */
  state(): ContentsState;
  /** Resolves when nothing waits to be uploaded any more, and goes on serving. Rejects with the signal's reason. */
  drain(op: Op): Promise<void>;
  /** Listings are read anew the next time they are wanted. */
  refresh(): void;
}

/** Opens the file system over a remote; what the remote changes by itself is told to `invalidations`. */
export async function openFileSystem(
  remote: Remote,
  options: VfsOptions,
  context: Context,
  invalidations: Invalidations,
  readFromMemory: ReadFromMemory | undefined,
): Promise<FileSystem> {
  const contents = await openContents(remote, options, options.cacheDir, context, {
    readFromMemory,
  });
  const ops = openVfs(remote, contents, options, context);
  ops.setInvalidations(invalidations);
  return {
    ops,
    state: () => contents.state(),
    drain: (op) => contents.drain(op),
    refresh: () => ops.refresh(),
  };
}
