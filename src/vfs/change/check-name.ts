import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import type { Entry } from '../../core/remote.ts';
import { type DirNode, pathIn } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

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

/** The longest name, in bytes. */
export const NAME_LENGTH = 255;

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
