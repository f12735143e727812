import { statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, toSyncerError } from '../../src/core/errors.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { Database, isDamaged, putAside, type Schema } from '../../src/state/database.ts';
import { hasDamagedNote } from '../../src/state/notes.ts';
import { CACHE, STATE } from '../../src/state/schemas.ts';
import { restoreState } from '../../src/state/state-copy.ts';
import { type CheckResult, failed, ok, warning } from './check.ts';

const FIX = 'syncer doctor --fix';

/** The checks of the databases in the state and the cache directory. */
export async function* stateChecks(
  state: string | undefined,
  cache: string | undefined,
): AsyncGenerator<CheckResult> {
  if (state !== undefined) yield await check('state-db', state, STATE, () => mendState(state));
  if (cache !== undefined) yield await check('cache-db', cache, CACHE, () => mendCache(cache));
}

async function check(
  name: string,
  dir: string,
  schema: Schema,
  mend: () => Promise<string>,
): Promise<CheckResult> {
  const path = join(dir, schema.file);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return ok(name, `${path}, created when needed`);
  const damaged = (why: string) => {
    return { ...failed(name, `${schema.title} is damaged: ${path}${why}`, FIX), fix: mend };
  };
  try {
    const database = await Database.open(dir, schema, () => {});
    try {
      const hasBadNote = schema === STATE && hasDamagedNote(database);
      const fault = database.fault() ?? (hasBadNote ? 'a note about a file' : undefined);
      return fault === undefined
        ? ok(name, `${path}, ${formatSizeUnit(bytes)}`)
        : damaged(`: ${fault}`);
    } finally {
      database.close();
    }
  } catch (thrown) {
    if (isDamaged(thrown)) return damaged('');
    const { message, advice } = toSyncerError(thrown);
    if (hasCode(thrown, 'locked')) return warning(name, message, 'syncer ps');
    return failed(name, advice === undefined ? message : `${message}; ${advice}`);
  }
}

async function mendState(dir: string): Promise<string> {
  const { aside, copiedMs } = await restoreState(dir);
  const lost = 'what guards, bisync and the history knew since then is lost';
  if (copiedMs !== undefined) {
    const when = new Date(copiedMs).toISOString().replace(/\..*/, 'Z');
    return `restored the copy of ${when} (${lost}); the damaged one is ${aside}`;
  }
  const what = 'there is no copy, and the next run begins a new one: run bisync with --resync';
  return `${what}; the damaged one is ${aside}`;
}

async function mendCache(dir: string): Promise<string> {
  return `the next run begins a new one; the damaged one is ${putAside(join(dir, CACHE.file))}`;
}
