import fs from 'node:fs';
import type { Op } from '../../core/remote.ts';
import { fsError, isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { discard, isPartialName } from './partial-file.ts';
import { joinNative } from './read-names.ts';
import { walkNative } from './walk-native.ts';

/** After this time no run can still be writing a temporary file that has not changed since, in milliseconds. */
const OLD = 24 * 3_600_000;

/**
 * Removes temporary files of broken runs from a directory where it holds nothing else; tells whether it did.
 * So a directory that is shown as empty can be removed as such. What may not be looked at counts as something else.
 */
export function removeOldPartials(dir: string): boolean {
  let names: readonly string[];
  try {
    names = fs.readdirSync(fsPath(dir));
  } catch (thrown) {
    if (isFsError(thrown, 'EACCES', 'EPERM')) return false;
    throw thrown;
  }
  const paths = names.map((name) => joinNative(dir, name));
  if (!names.every(isPartialName) || !paths.every((path) => isOld(path, OLD))) return false;
  for (const path of paths) discard(path);
  return true;
}

/** See `Capabilities.cleanUp`: all temporary files below the root that have not changed for `maxAgeMs`. */
export async function cleanUp(disk: LocalDisk, maxAgeMs: number, op: Op): Promise<void> {
  const { root } = disk.settings;
  try {
    await walkNative(root, disk.turns, op, {
      file: (path) => {
        const name = path.slice(path.lastIndexOf('/') + 1);
        if (isPartialName(name) && isOld(path, maxAgeMs)) discard(path);
      },
    });
  } catch (thrown) {
    throw fsError(thrown, 'clean up', root, { missing: 'directory-not-found' });
  }
}

/** By the time of the last change of any kind: the modification time may already be that of the source. */
function isOld(path: string, ageMs: number): boolean {
  try {
    return Date.now() - fs.lstatSync(fsPath(path)).ctimeMs >= ageMs;
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT')) return false;
    throw thrown;
  }
}
