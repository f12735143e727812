import { lstatSync } from 'node:fs';
import { nameToBytes } from '../core/name-bytes.ts';
import { leafName } from '../core/remote-path.ts';
import { KEPT_DAYS } from '../core/upload-records.ts';
import { ownerState } from '../system/owner-state.ts';

/**
 * A file is written under a temporary name next to its own, with the mark of its process (`ownMark`) and a number,
 * and renamed when complete. Trial files (`src/engine/place/trial-file.ts`) have such a name without a leading dot.
 * Leftovers of a crash are never listed; the next run that changes something in their directory deletes them, and so
 * do `cleanUp` and `deleteDir`.
 */
const PARTIAL = /^(?:\..*\.)?syncer-partial-([0-9a-z]+-[0-9a-z]+-[0-9a-z]+)-[0-9a-z]+$/s;
/** The number of a file begins with this if another run may continue it: the others are hexadecimal there. */
export const KEPT_NUMBER = 'r';

/** Whether another run may continue a temporary file: it has been changed in the last days. */
export function isKeptPartial(path: string): boolean {
  const isKept = /-r[0-9a-z]+$/.test(path) && isPartialName(leafName(path));
  return isKept && !isOld(path, KEPT_DAYS * 24 * 3_600_000);
}

/** Whether a name on disk is that of a file being written. */
export function isPartialName(name: string): boolean {
  return (name.startsWith('.') || name.startsWith('syncer-p')) && PARTIAL.test(name);
}

/** The process of a temporary file: see `ownerState`. `''` for any other name. */
export const markOf = (name: string): string => PARTIAL.exec(name)?.[1] ?? '';

/** The temporary name beside `target` with this mark and this number, which is of `0-9a-z`. */
export function partialPath(target: string, mark: string, number: string): string {
  const leaf = leafName(target);
  const dir = target.slice(0, target.length - leaf.length);
  return `${dir}.${shortName(leaf)}.syncer-partial-${mark}-${number}`;
}

/** Whether no process can still be writing a temporary file. For other machines only the file's age decides. */
export function isStale(path: string, ageMs = 24 * 3_600_000): boolean {
  const state = ownerState(markOf(leafName(path)));
  return state === 'dead' || (state === 'elsewhere' && isOld(path, ageMs));
}

/**
 * By the time of the last change of any kind: the modification time may already be that of the source. In whole
 * milliseconds, as the clock's: a file of this one is 0 old.
 */
function isOld(path: string, ageMs: number): boolean {
  const file = path.isWellFormed() ? path : nameToBytes(path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - Math.trunc(found.ctimeMs) >= ageMs;
}

/** How much of a final name, in bytes, a temporary one shows; the whole must fit into 255. */
const SHOWN_BYTES = 100;

/** The beginning of a name that a temporary name for it shows: no more than 100 bytes, and no half characters. */
export function shortName(name: string): string {
  // No unit of a string takes more than three bytes.
  if (name.length * 3 <= SHOWN_BYTES) return name;
  let short = name;
  while (nameToBytes(short).length > SHOWN_BYTES) short = short.slice(0, -1);
  const last = short.charCodeAt(short.length - 1);
  return last < 0xd800 || last > 0xdbff ? short : short.slice(0, -1);
}
