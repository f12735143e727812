import { isDeepStrictEqual } from 'node:util';
import { SyncerError } from '../core/errors.ts';
import { isReference } from '../system/secret-reference.ts';
import { deleteIniKey, setIniValue } from './ini-edit.ts';
import { type IniLine, iniSections } from './ini-lines.ts';
import { isObscured, obscure } from './obscure.ts';
import { type BackendKind, isPassword } from './option-sources.ts';

/** Reads `key=value` and `key value` arguments, in any mixture. Throws `command-line` for a key without a value. */
export function parsePairs(args: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const equals = arg.indexOf('=');
    const value = equals < 0 ? args[++i] : arg.slice(equals + 1);
    if (value === undefined) throw new SyncerError('command-line', `the key "${arg}" has no value`);
    pairs.set(equals < 0 ? arg : arg.slice(0, equals), value);
  }
  return pairs;
}

/** Which passwords to obscure: those that do not look obscured, all, or none. */
export type Obscuring = 'as-needed' | 'always' | 'never';

/** The values to store: passwords obscured, references as they are, without answers to rclone's wizard (`config_`). */
export function storedValues(
  pairs: ReadonlyMap<string, string>,
  backend: BackendKind | undefined,
  obscuring: Obscuring = 'as-needed',
): ReadonlyMap<string, string> {
  const isStored = (value: string) =>
    value === '' ||
    isReference(value) ||
    obscuring === 'never' ||
    (obscuring === 'as-needed' && isObscured(value));
  return new Map(
    [...pairs]
      .filter(([key]) => !key.startsWith('config_'))
      .map(([key, value]) => [
        key,
        isPassword(backend, key) && !isStored(value) ? obscure(value) : value,
      ]),
  );
}

/** Sets keys of a section. */
export function updateRemote(
  lines: readonly IniLine[],
  name: string,
  values: ReadonlyMap<string, string>,
): readonly IniLine[] {
  return [...values].reduce((now, [key, value]) => setIniValue(now, name, key, value), lines);
}

/** Creates or replaces a section with these values only. */
export function createRemote(
  lines: readonly IniLine[],
  name: string,
  type: string,
  values: ReadonlyMap<string, string>,
): readonly IniLine[] {
  const wanted = new Map([['type', type], ...values]);
  const old = [...(iniSections(lines).get(name)?.keys() ?? [])];
  const kept = old
    .filter((key) => !wanted.has(key))
    .reduce((now, key) => deleteIniKey(now, name, key), lines);
  return updateRemote(kept, name, wanted);
}

/** The former type of a remote that a change replaces: by a new one with other values, or by one of another type. */
export function replacedType(
  before: readonly IniLine[],
  after: readonly IniLine[],
  name: string,
  isNew: boolean,
): string | undefined {
  const [old, now] = [before, after].map((lines) => iniSections(lines).get(name));
  if (old === undefined || now === undefined) return undefined;
  const type = old.get('type') || 'no type';
  const isSame = isNew ? isDeepStrictEqual(old, now) : old.get('type') === now.get('type');
  return isSame ? undefined : type;
}
