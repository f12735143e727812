import { FLAG_GROUPS } from '../../src/core/flags.ts';
import {
  type CommandSummary,
  type CommandUsage,
  subcommandsOf,
  usageLine,
} from '../../src/shell/command-line/command.ts';
import { actingFlags, ignoredFlags } from '../../src/shell/command-line/flag-set.ts';
import { backendFlagsHelp } from '../../src/shell/help/backend-help.ts';
import { rowLines, UNWRAPPED } from '../../src/shell/help/help-style.ts';
import {
  examplesOf,
  exitRows,
  flagLines,
  flagsHelp,
  oftenUsed,
} from '../../src/shell/help/help-text.ts';

/** The pages about commands and flags by their path in `docs`, from the same tables as `--help`. */
export function commandPages(commands: readonly CommandSummary[]): ReadonlyMap<string, string> {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return new Map([
    ['commands.md', indexPage(shown)],
    ...shown.map((command) => [pathOf(command), commandPage(command, commands)] as const),
  ]);
}

const pathOf = ({ name }: CommandUsage) => `commands/${name}.md`;

function indexPage(shown: readonly CommandSummary[]): string {
  return [
    '# Commands and flags',
    '',
    "Written by `npm run docs` from the tables that `--help` reads. Every flag can also be set by the environment: `SYNCER_` and its name in upper case with `_` for `-`, as in `SYNCER_DRY_RUN=true`, or by the same name with rclone's `RCLONE_`; a flag on the command line wins, then syncer's own name. `RCLONE_CONFIG` alone is not read: it names rclone's configuration, which `syncer config import` takes over.",
    '',
    '| Command | What it does |',
    '|---|---|',
    ...shown.map((command) => {
      const { name, summary } = command;
      return `| [${name}](${pathOf(command)}) | ${summary.replaceAll('|', '\\|')} |`;
    }),
    '',
    '## Flags that all commands have',
    '',
    ...fenced(flagsHelp()),
    '## Flags of backends',
    '',
    'They set an option for all remotes of a backend. `syncer help backend NAME` explains the options.',
    '',
    ...fenced(backendFlagsHelp(undefined, UNWRAPPED)),
  ].join('\n');
}

function commandPage(command: CommandSummary, commands: readonly CommandSummary[]): string {
  const isCommand = (word: string) => commands.some(({ name }) => name === word.split(' ', 1)[0]);
  const related = (command.see ?? [])
    .filter(isCommand)
    .map((name) => `[${name}](${name.split(' ', 1)[0]}.md)`);
  return [
    ...commandSection(command, '#', commands),
    ...subcommandsOf(command).flatMap((one) => commandSection(one, '##', commands)),
    `${related.length === 0 ? '' : `See also: ${related.join(', ')}. `}All commands also have [common flags](../commands.md#flags-that-all-commands-have).`,
    '',
  ].join('\n');
}

function commandSection(
  command: CommandUsage,
  heading: string,
  commands: readonly CommandSummary[],
): string[] {
  const acting = actingFlags(commands, command.name);
  const often = oftenUsed(command, acting);
  const flags = [...often, ...acting.filter((flag) => !often.includes(flag))];
  const ignored = ignoredFlags(commands, command.name);
  const examples = examplesOf(command);
  const exits = exitRows(command);
  return [
    `${heading} ${command.name}`,
    '',
    `${command.summary}.`,
    '',
    ...fenced(usageLine(command)),
    ...(command.description === undefined ? [] : fenced(command.description)),
    ...(examples.length === 0
      ? []
      : fenced(examples.map(([line, what]) => `# ${what}\n${line}`).join('\n'))),
    ...(flags.length === 0 ? [] : fenced(flagLines(flags).join('\n'))),
    ...(ignored === '' ? [] : [`${FLAG_GROUPS.accepted}: ${ignored}.`, '']),
    ...(exits.length === 0 ? [] : fenced(`Exit codes:\n${rowLines(exits, UNWRAPPED).join('\n')}`)),
  ];
}

function fenced(text: string): string[] {
  return ['```text', text.replace(/^\n+|\s+$/g, ''), '```', ''];
}
