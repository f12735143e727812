import fs from 'node:fs';
import { isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { parentOf } from './partial-file.ts';

/** How many pairs of directories that share no blocks are remembered. */
const MOST_PAIRS = 64;

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;

/** Only copies that share blocks: any other by `copyFile` never ends if the source becomes shorter. */
const CLONE = COPYFILE_EXCL | COPYFILE_FICLONE_FORCE;

/** Whether the file system made a copy that shares the blocks. Any failure shows again when the bytes are copied. */
export async function cloned(from: string, to: string): Promise<boolean> {
  if (isUnclonable(from, to)) return false;
  try {
    await fs.promises.copyFile(fsPath(from), fsPath(to), CLONE);
    return true;
  } catch (thrown) {
    noteUnclonable(from, to, thrown);
    return false;
  }
}

/** As `cloned`, synchronously. */
export function clonedNow(from: string, to: string): boolean {
  if (isUnclonable(from, to)) return false;
  try {
    fs.copyFileSync(fsPath(from), fsPath(to), CLONE);
    return true;
  } catch (thrown) {
    noteUnclonable(from, to, thrown);
    return false;
  }
}

/** Pairs of directories between which no blocks can be shared, so that it is not tried for each of their files. */
const unclonable = new Set<string>();

const pairOf = (from: string, to: string) => `${parentOf(from)}\0${parentOf(to)}`;

function isUnclonable(from: string, to: string): boolean {
  return unclonable.size > 0 && unclonable.has(pairOf(from, to));
}

function noteUnclonable(from: string, to: string, thrown: unknown): void {
  if (!isFsError(thrown, 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOTTY', 'ENOSYS')) return;
  if (unclonable.size >= MOST_PAIRS) unclonable.clear();
  unclonable.add(pairOf(from, to));
}
