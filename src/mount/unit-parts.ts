import { resolve } from 'node:path';
import { backendFlags } from '../app/command-line/backend-flags.ts';
import { readCsvRecord } from '../app/command-line/csv-record.ts';
import { environmentVariables } from '../app/command-line/environment-variables.ts';
import { type FlagSet, flagSetOf } from '../app/command-line/flag-set.ts';
import { readTokens } from '../app/command-line/read-tokens.ts';
import { namesLocalPath } from '../app/flags/flag-definition.ts';
import { holdsNoSecret } from '../app/log/variable-messages.ts';
import { BACKENDS } from '../backends/index.ts';
import { formatRemoteSpec, parseRemoteSpec } from '../config/remote-spec.ts';
import type { BackendOption } from '../core/options.ts';
import { csvLine } from '../listing/csv-line.ts';
import type { UnitParts } from './unit-text.ts';

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

/** What a command line of `mount` and its environment give to a unit; `folder` is what relative paths count from. */
export function unitParts(line: {
  readonly args: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}): Pick<UnitParts, 'argv' | 'source' | 'mountPoint'> & UnitEnvironment {
  const { args, argv, env, folder } = line;
  const [source = '', place = ''] = args;
  const flags = flagSetOf('mount', backendFlags());
  const options = BACKENDS.flatMap((kind) => kind.options);
  return {
    argv: unitWords(argv, flags, folder),
    source: absoluteSource(source, folder),
    mountPoint: resolve(folder, place),
    ...unitEnvironment(env, flags, options, folder),
  };
}

/**
 * The variables that the mount needs: the user's directories and all settings of syncer, with absolute paths and
 * without secrets.
 *
 * @param options of all backends: they say what is secret
 */
function unitEnvironment(
  env: NodeJS.ProcessEnv,
  flags: FlagSet,
  options: readonly BackendOption[],
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
  const secrets = options
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

/** Flags of the command line that a unit does not have: systemd keeps the process. */
const FOR_THIS_RUN = ['daemon', 'print-unit'];

/**
 * The words of `mount source mountpoint [flags]` for a unit: local paths are absolute, and flags of this run alone
 * are gone.
 */
function unitWords(argv: readonly string[], flags: FlagSet, folder: string): string[] {
  let place = 0;
  return [...readTokens(argv, flags)].flatMap((token) => {
    if (token.kind === 'arg') {
      place++;
      if (place === 2) return [absoluteSource(token.text, folder)];
      return [place === 3 ? resolve(folder, token.text) : token.text];
    }
    const { flag, typed, value } = token;
    if (FOR_THIS_RUN.includes(flag.key)) return [];
    if (value === undefined) return [typed];
    const text = namesLocalPath(flag.definition) ? absolutePath(value, folder) : value;
    const { type, bareValue } = flag.definition;
    const needsEquals = type === 'bool' || type === 'count' || bareValue !== undefined;
    return needsEquals ? [`${typed}=${text}`] : [typed, text];
  });
}

/** A folder of this machine as an absolute path; other sources as they are. */
function absoluteSource(source: string, folder: string): string {
  const spec = parseRemoteSpec(source);
  if (spec.name !== '' && spec.name !== ':local') return source;
  return formatRemoteSpec({ ...spec, path: resolve(folder, spec.path) });
}

/** Standard input (`-`) and nothing stay what they are. */
function absolutePath(path: string, folder: string): string {
  return path === '' || path === '-' ? path : resolve(folder, path);
}
