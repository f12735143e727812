import { absentIf, hasCode, SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { Entry, Op, Remote } from '../../core/remote.ts';
import { listDir } from '../../core/remote-calls.ts';
import { NAME_LENGTH } from '../mount-ops.ts';
import { deleteLeftover, type Leftovers } from '../open/leftovers.ts';
import { type DirNode, entryOf, pathIn, pathOf } from '../tree/node.ts';
import { addName, dropName } from '../tree/own-change.ts';
import type { VfsParts } from '../vfs-parts.ts';
import { deleteFile } from './move-file.ts';

/** Deletes an empty directory. Rejects with `not-empty`, also if only hidden files are left. */
export async function removeDir(vfs: VfsParts, dir: DirNode, name: string, op: Op): Promise<void> {
  const path = pathIn(dir, name);
  requireWritable(vfs, path);
  const node = await vfs.listings.find(dir, name, op);
  if (node?.kind !== 'dir') throw nameError(node ? 'not-a-directory' : 'file-not-found', path);
  await vfs.locks.change([dir, node], op, async () => {
    const isSame = (await vfs.listings.findHeld(dir, name, op)) === node;
    if (!isSame) throw nameError('file-not-found', path);
    try {
      await dir.changes.whileDeleting(() => removeEmpty(vfs, node, op));
    } catch (thrown) {
      node.listing.expire();
      dir.listing.expire();
      throw thrown;
    }
    dropName(vfs, dir, node.name);
  });
}

/** Deletes a directory from the remote if it is empty there and no upload to it is pending. */
export async function removeEmpty(vfs: VfsParts, node: DirNode, op: Op): Promise<void> {
  const { remote, contents } = vfs;
  const path = pathOf(node);
  for (const child of node.children.nodes()) {
    if (child.kind === 'dir' ? child.isVirtual : child.mayBeDirty)
      throw nameError('not-empty', path);
  }
  for (const _ of contents.pendingBelow(path)) throw nameError('not-empty', path);
  for (const name of node.changes.leftoverNames()) await deleteLeftover(vfs, node, name, op);
  // Remotes with directories check it themselves, atomically with the deletion.
  const isFull = !remote.traits.emptyDirs && (await holdsAnything(remote, path, op));
  if (isFull) throw nameError('not-empty', path);
  await remote.deleteDir(path, op).catch(absentIf('directory-not-found'));
}

/** Whether the remote has anything in a directory, including entries that could not be read. */
export async function holdsAnything(remote: Remote, path: string, op: Op): Promise<boolean> {
  let failed = 0;
  try {
    for await (const entries of listDir(remote, path, op, () => failed++)) {
      if (entries.length + failed > 0) return true;
    }
    return false;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found')) return false;
    throw thrown;
  }
}

/**
 * Creates a directory. On a remote without empty directories it exists only on the mount until it has a file. It is
 * known to be empty and need not be listed.
 */
export async function makeDir(vfs: VfsParts, dir: DirNode, name: string, op: Op): Promise<DirNode> {
  return vfs.locks.change([dir], op, async () => {
    const path = checkNewName(vfs, dir, name, 'dir');
    const known = await vfs.listings.findHeld(dir, name, op);
    if (known !== undefined) throw nameError('already-exists', path);
    try {
      await deleteLeftover(vfs, dir, name, op);
      await vfs.remote.makeDir(path, op);
    } catch (thrown) {
      dir.listing.expire();
      throw thrown;
    }
    // A lookup may have found it before the response, and others may use it since.
    const found = dir.children.get(name);
    const node = found?.kind === 'dir' ? found : vfs.tree.newDir(dir, name, undefined);
    if (vfs.remote.traits.emptyDirs) node.becameReal();
    else node.becameVirtual();
    addName(vfs, dir, name, node);
    node.changedAt(dir.modTime);
    if (node !== found) vfs.listings.knowEmpty(node);
    return node;
  });
}

/** Deletes a file. If it is open, its readers keep it, and the remote deletes it when it is closed. */
export async function unlink(
  vfs: VfsParts,
  leftovers: Leftovers,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<void> {
  await vfs.locks.change([dir], op, async () => {
    requireWritable(vfs, pathIn(dir, name));
    const node = await vfs.listings.findHeld(dir, name, op);
    const path = pathIn(dir, node?.name ?? name);
    if (node?.kind !== 'file') throw nameError(node ? 'not-a-file' : 'file-not-found', path);
    const letGo = await vfs.contents.hold(path, op);
    try {
      const entry = entryOf(node, path);
      const isLeft = node.isOpen;
      if (entry !== undefined && !isLeft) {
        await dir.changes.whileDeleting(() => deleteFile(vfs.remote, entry, op));
      }
      await vfs.contents.removed(path);
      if (entry !== undefined && isLeft) leftovers.keep(node, dir, node.name, entry);
      dropName(vfs, dir, node.name);
    } catch (thrown) {
      dir.listing.expire();
      throw thrown;
    } finally {
      letGo();
    }
  });
}

const TEXTS = {
  'already-exists': 'exists already',
  'file-not-found': 'not found',
  'not-a-directory': 'is a file',
  'not-a-file': 'is a directory',
  'not-empty': 'the directory is not empty',
} as const;

/** The error for what is, or is not, at a path. */
export function nameError(code: keyof typeof TEXTS, path: string): SyncerError {
  return new SyncerError(code, `${path}: ${TEXTS[code]}`, { path });
}

/**
 * Throws if nothing may be created under a name: `read-only`, `name-invalid`, or `access-denied` if the filter hides
 * the name: a hidden file on the remote could be lost.
 */
export function checkNewName(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  kind: Entry['kind'],
): string {
  const path = pathIn(dir, name);
  requireWritable(vfs, path);
  // No character of a string takes more than three bytes.
  if (name.length * 3 > NAME_LENGTH && nameToBytes(name).length > NAME_LENGTH) {
    const text = `${path}: the name is too long`;
    throw new SyncerError('name-invalid', text, { path, nameFault: 'length' });
  }
  requireFits(vfs, path);
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) {
    throw new SyncerError('name-invalid', `${path}: no file can have this name`, { path });
  }
  const shown: Entry = kind === 'dir' ? { kind, path } : { kind, path, size: 0 };
  if (vfs.options.isShown?.(shown) === false) {
    const text = `${path}: the filter of the mount hides this name`;
    throw new SyncerError('access-denied', text, { path });
  }
  return path;
}

/** Throws `read-only` on a read-only mount. */
export function requireWritable({ options }: VfsParts, path: string): void {
  if (!options.readOnly) return;
  throw new SyncerError('read-only', `${path}: the mount is read-only`, { path });
}

/** Throws `name-invalid` for a path that is too long for the remote, before its upload fails. */
export function requireFits({ remote }: Pick<VfsParts, 'remote'>, path: string): void {
  if (remote.isTooLong?.(path) !== true) return;
  const text = `${path}: the path is too long for the remote`;
  throw new SyncerError('name-invalid', text, { path, nameFault: 'length' });
}
