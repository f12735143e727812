import { type ErrorCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { nameToBytes } from '../../../core/name-bytes.ts';
import type { Entry } from '../../../core/remote.ts';
import type { NameTransform } from '../../sync-option-parts.ts';
import { ALGORITHMS, type ChangeName } from './algorithms.ts';

/** One `--name-transform`: what it changes, and how. */
interface Step {
  readonly of: Entry['kind'] | 'all';
  readonly change: ChangeName;
}

/**
 * The changes of names that `--name-transform` describes, in their order, as in rclone 1.75.
 * Throws `usage` for an unknown one or one without its value, `no-retry` for a
 * value that makes no sense.
 *
 * @param nowMs the time of `date=`
 */
export function nameTransform(
  texts: readonly string[],
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): NameTransform {
  const steps = texts.map((text): Step => {
    const [, tag = 'file', rest = ''] = /^(?:(file|dir|all),)?(.*)$/s.exec(text) ?? [];
    const equals = rest.indexOf('=');
    const name = (equals < 0 ? rest : rest.slice(0, equals)).toLowerCase();
    const value = equals < 0 ? undefined : rest.slice(equals + 1);
    const make = ALGORITHMS[name];
    const fail = (code: ErrorCode, why: string, cause?: unknown) =>
      new SyncerError(code, `--name-transform ${text}: ${why}`, { cause });
    if (make === undefined) {
      throw fail('usage', `unknown change "${name}": use ${Object.keys(ALGORITHMS).join(', ')}`);
    }
    try {
      return { of: tag as Step['of'], change: make(value, { nowMs, signal }) };
    } catch (thrown) {
      const code = value === undefined ? 'usage' : 'no-retry';
      throw fail(code, toSyncerError(thrown).message, thrown);
    }
  });
  return {
    name(leaf, kind) {
      const wanted = steps.filter(({ of }) => of === 'all' || of === kind);
      return wanted.length === 0 ? leaf : changed(leaf, wanted);
    },
  };
}

async function changed(leaf: string, steps: readonly Step[]): Promise<string> {
  let name = leaf;
  for (const { change } of steps) name = checked(await change(name));
  return name;
}

/** Throws `name-invalid` for what cannot be the name of a file. */
function checked(name: string): string {
  const why =
    name === ''
      ? 'nothing would be left of it'
      : name.includes('/')
        ? `"${name}" has a path separator`
        : name === '.' || name === '..' || nameToBytes(name).includes(0)
          ? `"${name}" is not a valid name`
          : undefined;
  if (why === undefined) return name;
  throw new SyncerError('name-invalid', why);
}
