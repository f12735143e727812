import type { CommandSummary } from '../../src/app/command.ts';
import { ownFlags } from '../../src/app/command-line/flag-set.ts';
import { flagLines, flagsHelp, usageLine } from '../../src/app/help/help-text.ts';

/** docs/commands.md: every command and flag, from the same tables as `--help`. */
export function commandsPage(commands: readonly CommandSummary[]): string {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return [
    '# Commands and flags',
    '',
    'Written by `npm run docs` from the tables that `--help` reads. Every flag can also be set by the environment: `SYNCER_` and its name in upper case with `_` for `-`, as in `SYNCER_DRY_RUN=true`; a flag on the command line wins.',
    '',
    ...shown.flatMap(commandSection),
    '## Flags that all commands have',
    '',
    ...fenced(flagsHelp()),
  ].join('\n');
}

function commandSection(command: CommandSummary): string[] {
  const flags = ownFlags(command.name);
  return [
    `## ${command.name}`,
    '',
    `${command.summary}.`,
    '',
    ...fenced(usageLine(command)),
    ...(command.description === undefined ? [] : fenced(command.description)),
    ...(flags.length === 0 ? [] : fenced(flagLines(flags).join('\n'))),
  ];
}

function fenced(text: string): string[] {
  return ['```text', text.replace(/^\n+|\s+$/g, ''), '```', ''];
}
