import { BACKENDS } from '../../backends/index.ts';
import { namesLocalPath } from '../../core/flags.ts';
import { csvLine } from '../../listing/csv-line.ts';
import { readCsvRecord } from '../command-line/csv-record.ts';
import { holdsNoSecret } from '../command-line/flag-notices.ts';
import type { FlagSet } from '../command-line/flag-set.ts';
import { environmentVariables } from '../command-line/flag-value.ts';
import { absolutePath } from './absolute-words.ts';

/** Where a user's files are. */
const FOLDERS = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];

/** Settings of this run alone: systemd keeps the process. */
const NOT_IN_UNIT = /^(SYNCER|RCLONE)_(DAEMON(_.*)?|PRINT_UNIT)$/;

const OWN = /^(SYNCER|RCLONE)_/;

/** The command that prints the password is no secret to the user whose unit it is. */
const COMMAND = /_PASSWORD_COMMAND$/;

/** The variables that a unit needs, and the names of those that a file that others can read must not hold. */
export interface UnitEnvironment {
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
