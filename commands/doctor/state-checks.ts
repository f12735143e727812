import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedDatabase, hasCode, toSyncerError } from '../../src/core/errors.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { putAside, type Schema } from '../../src/state/database.ts';
import { hadState, isThere } from '../../src/state/lost-state.ts';
import { CACHE, STATE } from '../../src/state/schemas.ts';
import { faultOf, restoreState } from '../../src/state/state-copy.ts';
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
  if (!isThere(path) && (schema !== STATE || !hadState(path))) {
    return ok(name, `${path}, created when needed`);
  }
  const bad = (text: string) => ({ ...failed(name, text, FIX), fix: mend });
  try {
    const fault = await faultOf(dir, schema);
    return fault === undefined
      ? ok(name, `${path}, ${formatSizeUnit(bytes ?? 0)}`)
      : bad(`${schema.title} is damaged: ${path}: ${fault}`);
  } catch (thrown) {
    const { message, advice } = toSyncerError(thrown);
    if (thrown instanceof DamagedDatabase) return bad(message);
    if (hasCode(thrown, 'locked')) return warning(name, message, 'syncer ps');
    return failed(name, advice === undefined ? message : `${message}; ${advice}`);
  }
}

async function mendState(dir: string): Promise<string> {
  const { aside, copiedMs } = await restoreState(dir);
  const isCopyBad = aside.some((path) => path.includes('.copy.'));
  const done =
    copiedMs === undefined
      ? `began a new one: ${isCopyBad ? 'its copy is damaged, too' : 'there is no copy'}`
      : `restored the copy of ${new Date(copiedMs).toISOString().replace(/\..*/, 'Z')}: what guards and the history knew since then is lost`;
  const where = aside.length === 0 ? '' : `; what was damaged is ${aside.join(' and ')}`;
  return `${done}; run bisync with --resync, which deletes nothing${where}`;
}

async function mendCache(dir: string): Promise<string> {
  return `the next run begins a new one; the damaged one is ${putAside(join(dir, CACHE.file))}`;
}
