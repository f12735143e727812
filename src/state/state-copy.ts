import { closeSync, createReadStream, fsyncSync, openSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Database, isDamaged, putAside } from './database.ts';
import { replaceBy, replaceFile } from './replace-file.ts';
import { STATE } from './schemas.ts';

/** A copy of the state is made after this time, in milliseconds. */
const COPY_AFTER_MS = 24 * 3_600_000;

const copyPath = (path: string) => `${path}.copy`;

/** Keeps a copy of the database as `state.db.copy`, unless there is one of the last day. Never throws. */
export function keepCopy(state: Database, nowMs: number): void {
  const path = copyPath(state.path);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Math.abs(nowMs - found.mtimeMs) < COPY_AFTER_MS) return;
    replaceBy(path, (beside) => {
      state.copyTo(beside);
      sync(beside);
    });
  } catch {
    // The next run tries it again.
  }
}

/** When the copy beside the state in `dir` was made, in milliseconds since the epoch; `undefined` without a whole one. */
async function copyMs(dir: string): Promise<number | undefined> {
  const path = copyPath(join(dir, STATE.file));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  try {
    const copy = await Database.open(dir, { ...STATE, file: basename(path) }, () => {});
    const isWhole = copy.fault() === undefined;
    copy.close();
    return isWhole ? found.mtimeMs : undefined;
  } catch (thrown) {
    if (isDamaged(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Puts a damaged state aside and its copy, if there is a whole one, in its place. Resolves to where the damaged one is
 * and when the copy was made, in milliseconds since the epoch. Rejects with errors of the file system.
 */
export async function restoreState(
  dir: string,
): Promise<{ readonly aside: string; readonly copiedMs: number | undefined }> {
  const path = join(dir, STATE.file);
  const copiedMs = await copyMs(dir);
  const aside = putAside(path);
  if (copiedMs !== undefined) await replaceFile(path, createReadStream(copyPath(path)));
  return { aside, copiedMs };
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
