import { resolve } from 'node:path';
import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';
import type { FlagSet } from '../command-line/flag-set.ts';
import { readTokens } from '../command-line/read-tokens.ts';
import { namesLocalPath } from '../flags/flag-definition.ts';

/** Flags of the command line that a unit does not have: systemd keeps the process. */
const NOT_IN_UNIT = ['daemon', 'print-unit'];

/**
 * The words of `mount source mountpoint [flags]` as a unit has them, which starts in another folder: paths of this
 * machine are absolute, and flags that only concern this run are gone.
 *
 * @param flags All flags that `mount` knows, those of backends included.
 * @param folder What relative paths count from.
 */
export function unitWords(argv: readonly string[], flags: FlagSet, folder: string): string[] {
  let place = 0;
  return [...readTokens(argv, flags)].flatMap((token) => {
    if (token.kind === 'arg') {
      place++;
      if (place === 2) return [absoluteSource(token.text, folder)];
      return [place === 3 ? resolve(folder, token.text) : token.text];
    }
    const { flag, typed, value } = token;
    if (NOT_IN_UNIT.includes(flag.key)) return [];
    if (value === undefined) return [typed];
    const text = namesLocalPath(flag.definition) ? absolutePath(value, folder) : value;
    const { type, bareValue } = flag.definition;
    const needsEquals = type === 'bool' || type === 'count' || bareValue !== undefined;
    return needsEquals ? [`${typed}=${text}`] : [typed, text];
  });
}

/** A folder of this machine as an absolute path; other sources as they are. */
export function absoluteSource(source: string, folder: string): string {
  const spec = parseRemoteSpec(source);
  if (spec.name !== '' && spec.name !== ':local') return source;
  return formatRemoteSpec({ ...spec, path: resolve(folder, spec.path) });
}

/** Standard input (`-`) and nothing stay what they are. */
export function absolutePath(path: string, folder: string): string {
  return path === '' || path === '-' ? path : resolve(folder, path);
}
