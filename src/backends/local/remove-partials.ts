import fs from 'node:fs';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { Op } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { fsError, isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { discard, isPartialName } from './partial-file.ts';
import { joinNative } from './read-names.ts';
import { isStale } from './stale-partial.ts';
import { walkNative } from './walk-native.ts';

/**
 * Removes temporary files of broken runs from a directory where it holds nothing else; tells whether it did.
 * So a directory that is shown as empty can be removed as such. What may not be looked at counts as something else.
 */
export function removeStalePartials(dir: string): boolean {
  let names: readonly string[];
  try {
    names = fs.readdirSync(fsPath(dir), 'buffer').map(nameFromBytes);
  } catch (thrown) {
    if (isFsError(thrown, 'EACCES', 'EPERM')) return false;
    throw thrown;
  }
  const paths = names.map((name) => joinNative(dir, name));
  if (!names.every(isPartialName) || !paths.every((path) => isStale(path))) return false;
  for (const path of paths) discard(path);
  return true;
}

/**
 * See `Capabilities.cleanUp`: all temporary files below the root whose process has ended, or that have not changed for
 * `maxAgeMs` and are of another machine.
 */
export async function cleanUp(disk: LocalDisk, maxAgeMs: number, op: Op): Promise<void> {
  const { root } = disk.settings;
  try {
    await walkNative(root, disk.turns, op, {
      file: (path) => {
        if (isPartialName(leafName(path)) && isStale(path, maxAgeMs)) discard(path);
      },
    });
  } catch (thrown) {
    throw fsError(thrown, 'clean up', root, { missing: 'directory-not-found' });
  }
}
