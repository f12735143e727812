import { allUsages, type CommandSummary, type CommandUsage, usageLine } from '../command.ts';
import {
  actingFlags,
  commonFlags,
  ignoredFlags,
  type KnownFlag,
} from '../command-line/flag-set.ts';
import { FLAG_GROUPS, type FlagGroup } from '../flags/flag-definition.ts';
import { COMMAND_GROUPS, flagsToShow } from './command-groups.ts';
import { furtherOn } from './examples.ts';
import { flagLines } from './flag-lines.ts';
import {
  commandLines,
  descriptionLines,
  fillText,
  type HelpStyle,
  heading,
  type Row,
  rowLines,
  UNWRAPPED,
} from './help-style.ts';

/** One line without a full stop. */
export const PROGRAM_SUMMARY =
  'Copy, sync, move, check and list files on local disks and cloud storage';

const INTRODUCTION =
  'syncer copies, syncs, moves, checks and lists files on disks and in the cloud.';

const FIRST_STEPS: readonly Row[] = [
  ['syncer', 'open the home screen'],
  ['syncer config', 'create a remote, such as shelf:'],
  ['syncer sync ~/docs shelf:docs -n', 'show what a sync would change'],
  ['syncer help sync', 'help on a command, with examples'],
  ['syncer help commands', 'what each command does'],
  ['syncer help flags', 'flags; also: help filters, help backends'],
];

/** The help of the program, on one screen: the names of all commands, and where to continue. */
export function programHelp(style: HelpStyle): string {
  const groups = COMMAND_GROUPS.map(({ title, commands }): Row => [title, commands.join(', ')]);
  return page([
    fillText(INTRODUCTION, style.columns),
    [`${heading('Usage', style)} syncer <command> <args> [flags]`],
    section('Commands', rowLines(groups, style), style),
    section('First steps', rowLines(FIRST_STEPS, style), style),
  ]);
}

/** Every command with its summary, by group. */
export function commandsHelp(commands: readonly CommandSummary[], style: HelpStyle): string {
  return page(
    COMMAND_GROUPS.map(({ title, commands: names }) => [
      heading(title, style),
      ...usageRows(
        names.flatMap((name) => commands.filter((one) => one.name === name)),
        style,
      ),
    ]),
  );
}

/** What the help of a command is made of. */
export interface CommandHelpParts {
  readonly subcommands?: readonly CommandUsage[];
  /** All commands, for references to them. */
  readonly commands?: readonly CommandSummary[];
  /** Its variables change defaults. */
  readonly env?: NodeJS.ProcessEnv;
  readonly style?: HelpStyle;
}

/**
 * The help of a command: description, usage, its flags, examples, and where to continue.
 *
 * @param command with its full name: `config create`
 */
export function commandHelp(
  command: CommandUsage,
  { subcommands = [], commands = [], env = {}, style = UNWRAPPED }: CommandHelpParts = {},
): string {
  const { flags, groups } = flagsToShow(command.name);
  const own = actingFlags(command.name);
  const general = flags.flatMap((name) => commonFlags().filter((flag) => flag.name === name));
  const inline = groups.filter((group) => group === command.name);
  const { examples = [], see = [] } = furtherOn().get(command.name) ?? {};
  return page([
    fillText(`${command.summary}.`, style.columns),
    command.description === undefined ? [] : descriptionLines(command.description, style),
    [heading('Usage', style), ...fillText(usageLine(command), style.columns, '      ', '  ')],
    section('Commands', usageRows(subcommands, style), style),
    section(FLAG_GROUPS.command, flagLines(own, env, style), style),
    section(FLAG_GROUPS.accepted, ignoredLines(command.name, style), style),
    ...inline.map((group) => section(FLAG_GROUPS[group], groupLines(group, env, style), style)),
    section('General flags', flagLines(general, env, style), style),
    section('Examples', exampleLines(examples, style), style),
    section(
      'See also',
      rowLines(
        [
          ...referenceRows(see, commands),
          ...groups
            .filter((group) => !inline.includes(group))
            .map((group): Row => [`syncer help flags ${group}`, FLAG_GROUPS[group]]),
        ],
        style,
      ),
      style,
    ),
  ]);
}

function ignoredLines(command: string, style: HelpStyle): readonly string[] {
  const names = ignoredFlags(command);
  return names === '' ? [] : fillText(names, style.columns, '  ', '  ');
}

function page(sections: readonly (readonly string[])[]): string {
  const shown = sections.filter((lines) => lines.length > 0);
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], style: HelpStyle): readonly string[] {
  return lines.length === 0 ? [] : [heading(title, style), ...lines];
}

function usageRows(commands: readonly CommandUsage[], style: HelpStyle): string[] {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return rowLines(
    shown.map(({ name, summary }): Row => [name, summary]),
    style,
  );
}

function exampleLines(examples: readonly Row[], style: HelpStyle): string[] {
  return examples.flatMap(([command, what]) => [
    ...fillText(`# ${what}`, style.columns, '    ', '  '),
    ...commandLines(command, style),
  ]);
}

/** Topics of `syncer help` that are no commands. */
export const TOPICS: Readonly<Record<string, string>> = {
  commands: 'What each command does',
  flags: 'Flags common to all commands',
  filters: 'Filter rules',
  backends: 'Backends',
  backend: 'The options of a backend',
};

function referenceRows(names: readonly string[], commands: readonly CommandSummary[]): Row[] {
  const usages = allUsages(commands);
  return names.map((name) => {
    const summary = usages.find((one) => one.name === name)?.summary ?? TOPICS[name] ?? '';
    return [`syncer help ${name}`, summary];
  });
}

function groupLines(group: FlagGroup, env: NodeJS.ProcessEnv, style: HelpStyle): string[] {
  const flags = commonFlags().filter(({ definition }) => definition.group === group);
  return flagLines(flags, env, style);
}

/**
 * The common flags by group.
 *
 * @param only the name of a group, or a pattern for names and help texts; `''` if no flag matches
 */
export function flagsHelp(
  only?: RegExp | string,
  env: NodeJS.ProcessEnv = {},
  style = UNWRAPPED,
): string {
  const matches = ({ name, definition }: KnownFlag) =>
    typeof only === 'string'
      ? definition.group === only
      : only === undefined || only.test(name) || only.test(definition.help);
  const flags = commonFlags().filter(matches);
  if (flags.length === 0) return '';
  const sections = Object.entries(FLAG_GROUPS).map(([group, title]) => {
    const inGroup = flags.filter(({ definition }) => definition.group === (group as FlagGroup));
    return section(title, flagLines(inGroup, env, style), style);
  });
  return page(sections);
}
