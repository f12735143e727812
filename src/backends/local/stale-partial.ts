import fs from 'node:fs';
import { leafName } from '../../core/remote-path.ts';
import { ownerState } from '../../kit/process-mark.ts';
import { isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { discard, markOf } from './partial-file.ts';

/** After this time nobody can still be writing a temporary file that has not changed since, in milliseconds. */
const OLD = 24 * 3_600_000;

/** Removes a temporary file if nobody can be writing it any more; tells whether it did. */
export function removeIfStale(path: string): boolean {
  if (!isStale(path)) return false;
  discard(path);
  return true;
}

/**
 * Whether nobody can be writing a temporary file any more. A process of this machine is asked for; of another one,
 * only the age of its file tells anything.
 */
export function isStale(path: string, ageMs: number = OLD): boolean {
  const state = ownerState(markOf(leafName(path)));
  return state === 'dead' || (state === 'elsewhere' && isOld(path, ageMs));
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
