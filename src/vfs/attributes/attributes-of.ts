import { abortable } from '../../core/context.ts';
import { absentIf, hasCode } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { requireWritable } from '../change/make-and-remove.ts';
import { withPresentEntry } from '../change/move-file.ts';
import type { FileHandle, PendingFile } from '../contents/file-contents.ts';
import type { AttributeChange, Attributes } from '../mount-ops.ts';
import { entryOf, type FileNode, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** The result of stat(2) for a node, as far as it is known: see `knowsTime`. */
export function attributesOf(vfs: VfsParts, node: Node): Attributes {
  const { uid, gid, dirPerms, filePerms } = vfs.options;
  const { inode, kind } = node;
  const isDir = kind === 'dir';
  const { size, modTime } = shapeOf(vfs, node);
  const mode = isDir ? dirPerms : filePerms;
  const links = isDir || node.parent !== undefined ? 1 : 0;
  const [accessTime, changeTime] = [modTime, modTime];
  return { inode, kind, size, modTime, accessTime, changeTime, mode, uid, gid, links };
}

/** Whether the time of a file is known, so that `attributesOf` is right. */
export function knowsTime({ options, remote }: VfsParts, node: Node): boolean {
  if (node.kind === 'dir' || options.noModTime || !remote.traits.slowModTime) return true;
  if (node.mayBeDirty || node.entry === undefined) return true;
  return node.entry.modTime !== undefined || remote.can.details === undefined;
}

function shapeOf(vfs: VfsParts, node: Node): Pick<Attributes, 'size' | 'modTime'> {
  const { options, startedAt } = vfs;
  if (node.kind === 'dir') {
    return { size: 0, modTime: node.modTime ?? startedAt };
  }
  // The newer content is on this side.
  if (node.mayBeDirty) {
    const handle = node.lastOpened;
    if (handle !== undefined) {
      return { size: Math.max(0, handle.size()), modTime: handle.modTime() };
    }
    const pending = node.parent && pendingOf(vfs, node);
    if (pending !== undefined) return pending;
  }
  const { entry } = node;
  const known = options.noModTime ? undefined : entry?.modTime;
  return { size: Math.max(0, entry?.size ?? 0), modTime: known ?? entry?.storedTime ?? startedAt };
}

/** The pending upload of a file, also while the file or a directory above it is renamed. */
function pendingOf(vfs: VfsParts, node: FileNode): PendingFile | undefined {
  const { contents, renaming } = vfs;
  const path = pathOf(node);
  const pending = contents.pending(path);
  if (pending !== undefined || renaming.size === 0) return pending;
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    const to = renaming.get(at);
    if (to !== undefined) return contents.pending(to + path.slice(pathOf(at).length));
  }
  return undefined;
}

/** Runs the part of a rename in which the contents have the new name already and the tree may have the old one. */
export async function whileRenaming<T>(
  { renaming }: VfsParts,
  node: Node,
  to: string,
  call: () => Promise<T>,
): Promise<T> {
  renaming.set(node, to);
  try {
    return await call();
  } finally {
    renaming.delete(node);
  }
}

/** Read-ahead starts after this many files of a directory were requested. */
const ASKED_BEFORE_AHEAD = 3;
/** How many files ahead of the reader. */
const AHEAD = 64;
/** How many requests for times run ahead in parallel. */
const AHEAD_AT_ONCE = 32;

/**
 * Modification times on remotes whose listings have none: requested once, and ahead of a program that reads a
 * directory.
 */
export class FileTimes {
  readonly #vfs: VfsParts;
  readonly #asked = new Map<FileNode, Promise<void>>();

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** Requests the time of a file; `undefined` if it is known. */
  learn(node: FileNode, op: Op): Promise<void> | undefined {
    if (!this.#vfs.remote.traits.slowModTime) return undefined;
    const asked = knowsTime(this.#vfs, node) ? undefined : this.#ask(node);
    this.#askAhead(node);
    return asked === undefined ? undefined : abortable(asked, op.signal);
  }

  #ask(node: FileNode): Promise<void> {
    const asked = this.#asked.get(node) ?? this.#read(node).finally(() => this.#asked.delete(node));
    this.#asked.set(node, asked);
    return asked;
  }

  async #read(node: FileNode): Promise<void> {
    const { locks, remote, signal, startedAt } = this.#vfs;
    const { parent, entry } = node;
    if (parent === undefined || entry === undefined) return;
    try {
      await locks.use([parent], { signal }, async () => {
        const asked = entryOf(node);
        if (asked === undefined || node.parent === undefined) return;
        const told = (await remote.can.details?.read(asked, { signal })) ?? asked;
        if (node.entry !== entry) return;
        node.foundAs({ ...told, modTime: told.modTime ?? told.storedTime ?? startedAt });
      });
    } catch (thrown) {
      // Another client has deleted it: the directory is listed again.
      if (hasCode(thrown, 'file-not-found')) parent.listing.expire();
      throw thrown;
    }
  }

  /** Counts a request for a file of a directory, and requests the times of the files that are likely next. */
  #askAhead(asked: FileNode): void {
    const { parent: dir } = asked;
    if (dir === undefined) return;
    const { walk } = dir.listing;
    if (!walk.sawFile(asked)) return;
    const { files } = walk;
    if (files.seen < ASKED_BEFORE_AHEAD || files.isPast(dir.children.size)) return;
    const { nodes } = dir.children.snapshot();
    while (this.#asked.size < AHEAD_AT_ONCE) {
      const node = files.next(nodes, AHEAD);
      if (node === undefined) return;
      if (node.kind !== 'file' || node.parent !== dir) continue;
      files.requested();
      if (knowsTime(this.#vfs, node)) continue;
      this.#ask(node).catch(() => {
        // The caller that asks for this file gets the error.
      });
    }
  }
}

/**
 * Changes size and time of a file, and the shown time of a directory. Permissions, owners and access times are
 * accepted and ignored, as in rclone.
 *
 * @param handle open for writing on the file, if there is one
 */
export async function setAttributes(
  vfs: VfsParts,
  node: Node,
  change: AttributeChange,
  handle: FileHandle | undefined,
  op: Op,
): Promise<void> {
  requireWritable(vfs, pathOf(node));
  const { size, modTime } = change;
  if (node.kind === 'dir') {
    if (modTime !== undefined) node.changedAt(modTime);
    return;
  }
  const { parent } = node;
  const act = async () => {
    if (size !== undefined) {
      const path = pathOf(node);
      if (handle !== undefined) await handle.truncate(size, op);
      else if (node.parent === undefined) await node.lastOpened?.truncate(size, op);
      else await vfs.contents.truncate(path, entryOf(node, path), size, op);
      node.wrote();
    }
    if (modTime !== undefined && !vfs.options.noModTime)
      await setTime(vfs, node, modTime, handle, op);
  };
  if (parent === undefined) return act();
  try {
    await vfs.locks.change([parent], op, act);
  } catch (thrown) {
    parent.listing.expire();
    throw thrown;
  }
}

async function setTime(
  vfs: VfsParts,
  node: FileNode,
  modTime: bigint,
  handle: FileHandle | undefined,
  op: Op,
): Promise<void> {
  if (handle !== undefined && node.mayBeDirty) return handle.setModTime(modTime);
  if (node.parent === undefined) return;
  const { remote, contents } = vfs;
  const path = pathOf(node);
  if (await contents.setModTime(path, modTime)) {
    node.wrote();
    return;
  }
  const entry = entryOf(node, path);
  const { setModTime } = remote.can;
  if (entry === undefined || setModTime === undefined) return;
  // As on a remote that keeps no times: `touch` and `cp -p` go on.
  const set = await withPresentEntry(remote, entry, op, (present) =>
    setModTime(present, modTime, op),
  ).catch(absentIf('archived'));
  if (set === undefined) return;
  const now = { ...set, modTime: set.modTime ?? modTime };
  node.foundAs(now);
  contents.changed(path, now);
}
