import {
  type CommandSummary,
  type CommandUsage,
  subcommandsOf,
  usageLine,
} from '../../src/shell/command-line/command.ts';
import { ownFlags } from '../../src/shell/command-line/flag-set.ts';
import { backendFlagsHelp } from '../../src/shell/help/backend-help.ts';
import { flagLines } from '../../src/shell/help/flag-lines.ts';
import { UNWRAPPED } from '../../src/shell/help/help-style.ts';
import { flagsHelp } from '../../src/shell/help/help-text.ts';

/** docs/commands.md: every command and flag, from the same tables as `--help`. */
export function commandsPage(commands: readonly CommandSummary[]): string {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return [
    '# Commands and flags',
    '',
    "Written by `npm run docs` from the tables that `--help` reads. Every flag can also be set by the environment: `SYNCER_` and its name in upper case with `_` for `-`, as in `SYNCER_DRY_RUN=true`, or by the same name with rclone's `RCLONE_`; a flag on the command line wins, then syncer's own name. `RCLONE_CONFIG` alone is not read: it names rclone's configuration, which `syncer config import` takes over.",
    '',
    ...shown.flatMap((command) => [
      ...commandSection(command, '##', commands),
      ...subcommandsOf(command).flatMap((one) => commandSection(one, '###', commands)),
    ]),
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

function commandSection(
  command: CommandUsage,
  heading: string,
  commands: readonly CommandSummary[],
): string[] {
  const flags = ownFlags(commands, command.name);
  return [
    `${heading} ${command.name}`,
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
