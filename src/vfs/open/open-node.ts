import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { attributesOf, type FileTimes, knowsTime } from '../attributes/attributes-of.ts';
import { checkNewName, nameError, requireWritable } from '../change/make-and-remove.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import type { ListedEntry, OpenedFile, OpenFlags } from '../mount-ops.ts';
import type { Snapshot } from '../tree/children.ts';
import { type DirNode, entryOf, type FileNode, type Node, pathOf } from '../tree/node.ts';
import { addName } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { Leftovers } from './leftovers.ts';

/** How often a file is opened again if it was renamed at the same time. */
const TRIES = 5;

/** Opens a file that has a name; returns the number of its handle. */
export async function openFile(
  vfs: VfsParts,
  times: FileTimes,
  node: FileNode,
  flags: OpenFlags,
  op: Op,
): Promise<number> {
  if (flags.write) requireWritable(vfs, pathOf(node));
  // A file that is partly written keeps its time until then.
  if (flags.write && !flags.truncate) await times.learn(node, op);
  for (let tries = 1; ; tries++) {
    const { parent } = node;
    if (parent === undefined) {
      // The kernel looks the name up again: another file may have it.
      const text = `${node.name}: the file is gone`;
      throw new SyncerError('source-changed', text, { path: node.name });
    }
    const path = pathOf(node);
    const open = () => openHandle(vfs, node, pathOf(node), flags, op);
    const handle = await (flags.write
      ? vfs.locks.change([parent], op, open)
      : vfs.locks.use([parent], op, open));
    if (flags.write || pathOf(node) === path || tries >= TRIES) return handle;
    vfs.files.take(handle);
    await node.takeHandle(handle)?.release(op);
  }
}

/** Creates a file and opens it, or opens the existing one; returns the number of its handle. */
export async function createFile(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  flags: OpenFlags,
  op: Op,
): Promise<number> {
  return vfs.locks.change([dir], op, async () => {
    const path = checkNewName(vfs, dir, name, 'file');
    const found = await vfs.listings.findHeld(dir, name, op);
    if (found !== undefined && flags.exclusive) throw nameError('already-exists', path);
    if (found?.kind === 'dir') throw nameError('not-a-file', path);
    if (found !== undefined) return openHandle(vfs, found, pathOf(found), flags, op);
    // The kernel creates files also for programs that only read.
    const making = { ...flags, write: true, truncate: true };
    const node = vfs.tree.newFile(dir, name, undefined);
    try {
      const handle = await openHandle(vfs, node, path, making, op);
      node.foundAs(dir.changes.forgetLeftover(name));
      addName(vfs, dir, name, node);
      return handle;
    } catch (thrown) {
      vfs.tree.letGo(node);
      throw thrown;
    }
  });
}

/** The handle of a number. Throws `file-not-found` if nothing is open under it. */
export function handleOf(vfs: VfsParts, handle: number): FileHandle {
  const opened = vfs.files.get(handle).handle(handle);
  if (opened !== undefined) return opened;
  throw new SyncerError('file-not-found', `handle ${handle} is not open`);
}

/** How the kernel should treat an open file. */
export function howOpened(vfs: VfsParts, handle: number): OpenedFile {
  const keepCache = vfs.files.get(handle).usesPages();
  return { handle, keepCache, directIo: handleOf(vfs, handle).size() < 0 };
}

/** Opens the content of a file at its current or pending path; the caller holds its directory. */
async function openHandle(
  vfs: VfsParts,
  node: FileNode,
  path: string,
  { read, write, truncate }: OpenFlags,
  op: Op,
): Promise<number> {
  const access = { read, write, truncate: truncate && write };
  const opened = await vfs.contents.open(path, entryOf(node, path), access, op);
  const handle = vfs.files.add(node);
  node.opened(handle, opened);
  if (write && (node.entry === undefined || truncate)) node.wrote();
  return handle;
}

/** How many entries one call returns. */
const BATCH = 256;

/** An open directory: a snapshot, so that positions stay stable. */
export class DirHandle {
  readonly dir: DirNode;
  readonly #vfs: VfsParts;
  #snapshot: Snapshot<Node> | undefined;

  constructor(vfs: VfsParts, dir: DirNode) {
    this.#vfs = vfs;
    this.dir = dir;
  }

  /** Whether anything was read yet. */
  get wasRead(): boolean {
    return this.#snapshot !== undefined;
  }

  /** Entries from a position on; at 0, of a new snapshot. Deleted ones are skipped. */
  read(from: number): readonly ListedEntry[] {
    if (from === 0 || this.#snapshot === undefined) this.#snapshot = this.dir.children.snapshot();
    const { names, nodes } = this.#snapshot;
    const entries: ListedEntry[] = [];
    for (let i = from; i < nodes.length && entries.length < BATCH; i++) {
      const [name, node] = [names[i], nodes[i]];
      if (name === undefined || node === undefined) break;
      if (node.parent !== this.dir || node.name !== name) continue;
      const attributes = attributesOf(this.#vfs, node);
      const next = i + 1;
      const isRough = !knowsTime(this.#vfs, node);
      entries.push(isRough ? { name, attributes, next, isRough } : { name, attributes, next });
    }
    return entries;
  }
}

/** Closes a handle, if it is open. Updates the node also if closing fails. */
export async function closeFile(
  vfs: VfsParts,
  leftovers: Leftovers,
  handle: number,
  op: Op,
): Promise<void> {
  const node = vfs.files.take(handle);
  if (node === undefined) return;
  // From here on it does not affect size and time.
  const opened = node.takeHandle(handle);
  try {
    await node.whileClosing(async () => opened?.release(op));
  } finally {
    if (!node.isOpen) {
      await settle(vfs, node);
      await leftovers.closed(node, op);
    }
  }
}

/**
 * The file has no handles any more. Waits while it is being renamed, as the kernel does not wait for a close: the
 * contents may have the new name before the tree.
 */
async function settle(vfs: VfsParts, node: FileNode): Promise<void> {
  const update = (parent: DirNode | undefined) => {
    if (node.isOpen) return;
    if (parent === undefined) return vfs.tree.letGo(node);
    if (vfs.contents.pending(pathOf(node)) !== undefined) return;
    node.uploaded();
    if (node.entry !== undefined) return;
    // It was never created: its data could not be kept.
    parent.listing.expire();
    parent.changes.note(node.name, undefined);
    vfs.tree.detach(node);
  };
  for (let isDone = false; !isDone; ) {
    const { parent } = node;
    // A file that was only read needs no update.
    if (parent === undefined || (!node.mayBeDirty && node.entry !== undefined))
      return update(parent);
    isDone = await vfs.locks.change([parent], vfs, async () => {
      if (node.parent !== parent) return false;
      update(parent);
      return true;
    });
  }
}
