import { resolve } from 'node:path';
import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';
import { type FlagDefinition, namesLocalPath } from '../../core/flags.ts';
import type { FlagSet } from '../command-line/flag-set.ts';
import { type FlagToken, readTokens } from '../command-line/read-tokens.ts';

/** Flags that say what is done with this command line. */
const FOR_THIS_RUN = ['daemon', 'print-unit', 'review', 'save', 'apply'];

interface AbsoluteOptions {
  readonly localPlace?: number;
  readonly keeps?: (token: FlagToken) => boolean;
}

/**
 * The words of a command line, the command first, and local paths absolute, so that they mean the same in every
 * directory.
 *
 * @param folder what relative paths count from
 * @param localPlace the argument that is a local path in any case: 2 is the second one behind the command
 * @param keeps whether a flag is among the words; by default all but those that say what is done with this command line
 */
export function absoluteWords(
  argv: readonly string[],
  flags: FlagSet,
  folder: string,
  { localPlace, keeps = isOfEveryRun }: AbsoluteOptions = {},
): string[] {
  let place = 0;
  let command: string[] = [];
  const others = [...readTokens(argv, flags)].flatMap((token) => {
    if (token.kind === 'arg') {
      const at = place++;
      if (at === 0) {
        command = [token.text];
        return [];
      }
      return [at === localPlace ? resolve(folder, token.text) : absoluteSpec(token.text, folder)];
    }
    const { flag, typed, value } = token;
    if (!keeps(token)) return [];
    if (value === undefined) return [typed];
    const text = absoluteValue(flag.definition, value, folder);
    const { type, bareValue } = flag.definition;
    const needsEquals = type === 'bool' || type === 'count' || bareValue !== undefined;
    return needsEquals ? [`${typed}=${text}`] : [typed, text];
  });
  return [...command, ...others];
}

function isOfEveryRun({ flag }: FlagToken): boolean {
  return !FOR_THIS_RUN.includes(flag.key);
}

function absoluteValue(definition: FlagDefinition, value: string, folder: string): string {
  if (namesLocalPath(definition)) return absolutePath(value, folder);
  return definition.placeholder === 'remote:path' ? absoluteSpec(value, folder) : value;
}

/** A local path as an absolute one; paths of other remotes as they are. */
export function absoluteSpec(source: string, folder: string): string {
  const spec = parseRemoteSpec(source);
  if (spec.name !== '' && spec.name !== ':local') return source;
  return formatRemoteSpec({ ...spec, path: resolve(folder, spec.path) });
}

/** Standard input (`-`) and nothing stay what they are. */
export function absolutePath(path: string, folder: string): string {
  return path === '' || path === '-' ? path : resolve(folder, path);
}
