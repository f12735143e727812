import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DamagedDatabase } from '../core/errors.ts';
import { Database, dropLog, putAside, type Schema } from './database.ts';
import { COPY_END } from './lost-state.ts';
import { hasDamagedNote } from './notes.ts';
import { replaceBy } from './replace-file.ts';
import { STATE } from './schemas.ts';

/**
 * Keeps a copy of the database as `state.db.copy`, unless there is one of the last day. Never throws.
 *
 * @param isGone its file was deleted: the copy is all that is left
 */
export function keepCopy(state: Database, nowMs: number, isGone = false): void {
  const path = state.path + COPY_END;
  try {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    const isNew = found !== undefined && Math.abs(nowMs - found.mtimeMs) < 24 * 3_600_000;
    if ((isNew && !isGone) || state.fault() !== undefined) return;
    replaceBy(path, (beside) => {
      state.run('VACUUM INTO ?', beside);
      const file = fs.openSync(beside, 'r');
      try {
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
    });
  } catch {
    // The next run tries it again.
  }
}

/**
 * What is wrong with a database; `undefined` if nothing. Reads all of it; rejects as `Database.open`, with
 * `DamagedDatabase` if it is none.
 */
export async function faultOf(dir: string, schema: Schema): Promise<string | undefined> {
  const database = await Database.open(dir, schema, () => {});
  try {
    const hasNotes = schema.title === STATE.title;
    if (hasNotes && hasDamagedNote(database)) return 'a note about a file';
    return database.fault();
  } finally {
    database.close();
  }
}

/** When the copy of a state was made, in milliseconds since the epoch; `undefined` without a whole one. */
async function copyMs(path: string): Promise<number | undefined> {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (!found?.size) return undefined;
  try {
    const fault = await faultOf(dirname(path), { ...STATE, file: basename(path) });
    return fault === undefined ? found.mtimeMs : undefined;
  } catch (thrown) {
    if (thrown instanceof DamagedDatabase) return undefined;
    throw thrown;
  }
}

/**
 * Puts a damaged state aside and its copy in its place, or a new state if there is no whole copy. What the copy has
 * about pairs of bisync and checkpoints is forgotten. Resolves to when the copy was made (`undefined`: a new state is in
 * its place), and to where the damaged state and copy are. Rejects with errors of the file system and as
 * `Database.open`.
 */
export async function restoreState(dir: string) {
  const path = join(dir, STATE.file);
  const copy = path + COPY_END;
  const copiedMs = await copyMs(copy);
  const beside = `${path}.new`;
  fs.rmSync(beside, { recursive: true, force: true });
  fs.mkdirSync(beside, { mode: 0o700 });
  const next = join(beside, STATE.file);
  if (copiedMs !== undefined) fs.copyFileSync(copy, next);
  const state = await Database.open(beside, STATE, () => {});
  // A file that came back since would be deleted, and what changed since not be compared.
  state.exec('UPDATE pairs SET roots = NULL; DELETE FROM agreed; DELETE FROM checkpoints');
  state.close();
  const bad = [path, ...(copiedMs === undefined ? [copy] : [])];
  const aside = bad.filter((each) => fs.existsSync(each)).map((each) => putAside(each, false));
  dropLog(path);
  fs.renameSync(next, path);
  fs.rmSync(beside, { recursive: true });
  return { copiedMs, aside };
}
