import { commandSection, fenced } from '../../commands/generate/markdown-pages.ts';
import {
  type CommandSummary,
  type CommandUsage,
  subcommandsOf,
} from '../../src/shell/command-line/command.ts';
import { backendFlagsHelp } from '../../src/shell/help/backend-help.ts';
import { UNWRAPPED } from '../../src/shell/help/help-style.ts';
import { flagsHelp } from '../../src/shell/help/help-text.ts';

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
    ...commandSection(command, `# ${command.name}`, commands),
    ...subcommandsOf(command).flatMap((one) => commandSection(one, `## ${one.name}`, commands)),
    `${related.length === 0 ? '' : `See also: ${related.join(', ')}. `}All commands also have [common flags](../commands.md#flags-that-all-commands-have).`,
    '',
  ].join('\n');
}
