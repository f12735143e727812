import { resolve } from 'node:path';
import { BACKENDS } from '../../backends/index.ts';
import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';
import { namesLocalPath } from '../../core/flags.ts';
import { csvLine } from '../../listing/csv-line.ts';
import { readCsvRecord } from '../command-line/csv-record.ts';
import { holdsNoSecret } from '../command-line/flag-notices.ts';
import type { FlagSet } from '../command-line/flag-set.ts';
import { environmentVariables } from '../command-line/flag-value.ts';
import { type FlagToken, readTokens, standsAlone } from '../command-line/read-tokens.ts';

/** Where a user's files are. */
const FOLDERS = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];
/** Settings of this run alone: systemd keeps the process. */
const NOT_IN_UNIT = /^(SYNCER|RCLONE)_(DAEMON(_.*)?|PRINT_UNIT)$/;
const OWN = /^(SYNCER|RCLONE)_/;
/** The command that prints the password is no secret to the user whose unit it is. */
const COMMAND = /_PASSWORD_COMMAND$/;

/** The variables that a unit needs, and the names of those that a file that others can read must not hold. */
interface UnitEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
}

/**
 * The variables that a command needs in a unit: the user's directories and all settings of syncer, with absolute paths
 * and without secrets.
 *
 * @param folder what relative paths count from
 */
export function unitEnvironment(
  env: NodeJS.ProcessEnv,
  flags: FlagSet,
  folder: string,
): UnitEnvironment {
  const pathFlags = [...flags.byName.values()].filter((flag) => namesLocalPath(flag.definition));
  const paths = new Set([...pathFlags.flatMap(environmentVariables), 'RCLONE_CONFIG']);
  const lists = new Set(
    pathFlags.filter(({ definition }) => definition.type === 'list').flatMap(environmentVariables),
  );
  const absolute = (name: string, value: string) =>
    lists.has(name)
      ? csvLine(
          readCsvRecord(value).map((path) => absolutePath(path, folder)),
          ',',
        ).trimEnd()
      : absolutePath(value, folder);
  const secrets = BACKENDS.flatMap(({ options }) => options)
    .filter(({ secret, obscured }) => secret === true || obscured === true)
    .map(({ name }) => `_${name.toUpperCase()}`);
  const isSecret = (name: string, value: string) =>
    secrets.some((end) => name.endsWith(end)) ||
    (!COMMAND.test(name) &&
      !holdsNoSecret(name.replace(OWN, '').replaceAll('_', '-').toLowerCase(), value));
  const kept: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const isOwn = OWN.test(name) && !NOT_IN_UNIT.test(name);
    if (value === undefined || !(isOwn || FOLDERS.includes(name))) continue;
    if (isOwn && isSecret(name, value)) leftOut.push(name);
    else kept[name] = paths.has(name) ? absolute(name, value) : value;
  }
  return { env: kept, leftOut };
}

/** A value of a unit, in which `%` would begin a specifier (systemd.unit(5)). */
export const unitValue = (text: string): string => text.replaceAll('%', '%%');

/** A word of a command line, in which `$` would begin a variable (systemd.service(5)). */
export function unitWord(word: string): string {
  const text = word.replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? unitValue(text) : `"${plain(text)}"`;
}

/** What stands between double quotes; bytes that are not UTF-8 as `\xff`. */
function plain(text: string): string {
  return unitValue(text)
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/[\udc80-\udcff]/gu, (byte) => `\\x${(byte.charCodeAt(0) & 0xff).toString(16)}`);
}

/** What to do about secrets that a unit must not hold; `undefined` if there are none. */
export function leftOutText(
  what: 'unit' | 'service',
  names: readonly string[],
): string | undefined {
  if (names.length === 0) return undefined;
  return `the ${what} omits the secrets in ${names.join(', ')}: set them with EnvironmentFile= and a file readable only by its user`;
}

/** The lines that set variables. */
export function unitEnvironmentLines(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `Environment="${plain(`${name}=${value}`)}"`);
}

/** Flags that say what is done with this command line. */
const FOR_THIS_RUN = ['daemon', 'print-unit', 'review', 'save', 'apply'];

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
  {
    localPlace,
    keeps = ({ flag }) => !FOR_THIS_RUN.includes(flag.key),
  }: { readonly localPlace?: number; readonly keeps?: (token: FlagToken) => boolean } = {},
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
    const { definition } = flag;
    if (!keeps(token)) return [];
    if (value === undefined) return [typed];
    let text = value;
    if (namesLocalPath(definition)) text = absolutePath(value, folder);
    else if (definition.placeholder === 'remote:path') text = absoluteSpec(value, folder);
    return standsAlone(flag) ? [`${typed}=${text}`] : [typed, text];
  });
  return [...command, ...others];
}

/** A local path as an absolute one; paths of other remotes as they are. */
export function absoluteSpec(source: string, folder: string): string {
  const spec = parseRemoteSpec(source);
  if (spec.name !== '' && spec.name !== ':local') return source;
  return formatRemoteSpec({ ...spec, path: resolve(folder, spec.path) });
}

/** Standard input (`-`) and nothing stay what they are. */
function absolutePath(path: string, folder: string): string {
  return path === '' || path === '-' ? path : resolve(folder, path);
}
