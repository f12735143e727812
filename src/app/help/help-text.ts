import { formatSize } from '../../go/byte-size.ts';
import { formatDuration } from '../../go/duration.ts';
import type { CommandSummary, CommandUsage } from '../command.ts';
import { environmentVariables } from '../command-line/environment-variables.ts';
import { commonFlags, type KnownFlag, ownFlags } from '../command-line/flag-set.ts';
import { FLAG_GROUPS, type FlagDefinition, type FlagGroup } from '../flags/flag-definition.ts';
import { holdsNoSecret } from '../log/variable-messages.ts';

const PROGRAM = 'syncer';

/** One line without a full stop. */
export const PROGRAM_SUMMARY =
  'Copy, sync, move, check and list files on local disks and cloud storage';

/** The help of the program. */
export function programHelp(commands: readonly CommandSummary[]): string {
  return [
    'syncer copies, syncs, moves, checks and lists files on local disks and cloud storage.',
    '',
    'Usage:',
    `  ${PROGRAM} <command> <args> [flags]`,
    '',
    'A path is remote:path with a configured remote, :backend:path, or a local path.',
    '',
    'Commands:',
    ...commandLines(commands),
    '',
    `Run "${PROGRAM} <command> --help" for help on a command, "${PROGRAM} help flags" for flags common to all`,
    `commands, "${PROGRAM} help backends" for the backends.`,
    '',
  ].join('\n');
}

/**
 * The help of a command: usage, description, its own flags and those for most commands.
 *
 * @param command with its full name: `config create`
 * @param env the environment, whose variables change defaults
 */
export function commandHelp(
  command: CommandUsage,
  subcommands: readonly CommandUsage[] = [],
  env: NodeJS.ProcessEnv = {},
): string {
  const own = ownFlags(command.name);
  const main = commonFlags().filter(({ definition }) => definition.group === 'main');
  return [
    `${command.summary}.`,
    ...(command.description === undefined ? [] : ['', command.description.trim()]),
    '',
    'Usage:',
    `  ${usageLine(command)}`,
    ...(subcommands.length === 0 ? [] : ['', 'Commands:', ...commandLines(subcommands)]),
    ...(own.length === 0 ? [] : ['', `${FLAG_GROUPS.command}:`, ...flagLines(own, env)]),
    '',
    `${FLAG_GROUPS.main}:`,
    ...flagLines(main, env),
    '',
    `Run "${PROGRAM} help flags" for the other flags common to all commands.`,
    '',
  ].join('\n');
}

/** `syncer copy source:path dest:path [flags]`. */
export function usageLine({ name, usage }: CommandUsage): string {
  return [PROGRAM, name, usage, '[flags]'].filter((part) => part !== '').join(' ');
}

function commandLines(commands: readonly CommandUsage[]): string[] {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  const width = Math.max(...shown.map(({ name }) => name.length));
  return shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
}

/** The common flags by group; with `pattern`, those whose name or help matches. `''` if none does. */
export function flagsHelp(pattern?: RegExp, env: NodeJS.ProcessEnv = {}): string {
  const matches = ({ name, definition }: KnownFlag) =>
    pattern === undefined || pattern.test(name) || pattern.test(definition.help);
  const flags = commonFlags().filter(matches);
  if (flags.length === 0) return '';
  const sections = Object.entries(FLAG_GROUPS).flatMap(([group, title]) => {
    const inGroup = flags.filter(({ definition }) => definition.group === (group as FlagGroup));
    return inGroup.length === 0 ? [] : [`${title}:`, ...flagLines(inGroup, env), ''];
  });
  return `${sections.join('\n')}\n`;
}

/** Flags as aligned lines: `  -n, --dry-run   Show what would be done without changing anything`. */
export function flagLines(flags: readonly KnownFlag[], env: NodeJS.ProcessEnv = {}): string[] {
  const rows = flags.map((flag) => {
    const indent = flag.definition.short === undefined ? '    ' : '';
    return [`${indent}${flagName(flag)}`, flagHelp(flag, env)] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** How a flag is given: `-n, --dry-run`, `--transfers int`. */
export function flagName({ name, definition }: KnownFlag): string {
  const short = definition.short === undefined ? '' : `-${definition.short}, `;
  return `${short}--${name}${placeholder(definition)}`;
}

function placeholder({ type, values, bareValue, placeholder: given }: FlagDefinition): string {
  if (type === 'bool' || type === 'count') return '';
  const name = given ?? (values === undefined ? type : values.join('|'));
  return bareValue === undefined ? ` ${name}` : `[=${name}]`;
}

/** The help of a flag and its default; without a full stop. */
export function flagHelp(flag: KnownFlag, env: NodeJS.ProcessEnv = {}): string {
  const { definition } = flag;
  const { help, type } = definition;
  const variable = environmentVariables(flag).find((name) => env[name] !== undefined);
  const usual =
    variable === undefined
      ? (definition.defaultText ?? defaultText(definition))
      : shownDefault(flag, env[variable] ?? '');
  const more =
    type === 'list' && !help.includes('several times') ? ' (may be given several times)' : '';
  return `${help}${more}${usual === undefined ? '' : ` (default ${usual})`}`;
}

/** The value of a variable, unless it is secret. */
function shownDefault({ name }: KnownFlag, text: string): string {
  return holdsNoSecret(name, text) ? text : 'REDACTED';
}

function defaultText({ type, default: value }: FlagDefinition): string | undefined {
  if (value === undefined || value === false || value === '') return undefined;
  if (typeof value !== 'number') return String(value);
  if (value === 0) return undefined;
  if (type === 'size') return formatSize(value);
  return type === 'duration' ? formatDuration(value) : String(value);
}
