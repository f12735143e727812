import { SyncerError } from '../../src/core/errors.ts';
import { FLAG_GROUPS } from '../../src/core/flags.ts';
import {
  allUsages,
  type CommandCall,
  type CommandSummary,
  type Environment,
  type Program,
  type StandardOutput,
  subcommandsOf,
} from '../../src/shell/command-line/command.ts';
import { nearestName } from '../../src/shell/command-line/nearest-name.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';
import { type HelpStyle, helpStyle } from '../../src/shell/help/help-style.ts';
import {
  commandHelp,
  commandsHelp,
  flagsHelp,
  programHelp,
  TOPICS,
} from '../../src/shell/help/help-text.ts';

type HelpNeeds = CommandCall & Program & Environment & StandardOutput;

/** `syncer help [command]`, `syncer help flags [group or pattern]`, `syncer help backend name` and other topics. */
export async function helpCommand(invocation: HelpNeeds): Promise<void> {
  const { args, commands, out, env, flags } = invocation;
  const style = helpStyle(process.stdout, env, flags.color);
  const text = await helpOn(args, { commands, env, flags, style });
  await out.write(new TextEncoder().encode(text));
}

interface Help {
  readonly commands: readonly CommandSummary[];
  readonly env: NodeJS.ProcessEnv;
  readonly flags: Flags;
  readonly style: HelpStyle;
}

async function helpOn([topic, detail]: readonly string[], help: Help): Promise<string> {
  const { commands, env, style } = help;
  switch (topic) {
    case undefined:
      return programHelp(style);
    case 'commands':
      return commandsHelp(commands, style);
    case 'filter':
    case 'filters':
      return (await import('../../src/shell/help/filters-help.ts')).filtersHelp(env, style);
    case 'flags':
      return helpOnFlags(detail, help);
    case 'backends':
    case 'backend': {
      const { backendHelp, backendsHelp } = await import('../../src/shell/help/backend-help.ts');
      return detail === undefined ? backendsHelp(style) : backendHelp(detail, style, help);
    }
    default:
      return helpOnCommand(topic, detail, help);
  }
}

async function helpOnFlags(only: string | undefined, help: Help): Promise<string> {
  const { env, style } = help;
  const { backendFlagsHelp, backendOfRclone } = await import(
    '../../src/shell/help/backend-help.ts'
  );
  const { RCLONE_TYPES } = await import('../../src/backends/rclone/index.ts');
  const isOfRclone = only !== undefined && RCLONE_TYPES.includes(only);
  const asked = isOfRclone ? await backendOfRclone(only, help) : undefined;
  const own = only === undefined ? '' : backendFlagsHelp(only, style);
  const ofBackend = asked === undefined ? own : backendFlagsHelp(only, style, [asked]);
  const isGroup = only !== undefined && Object.hasOwn(FLAG_GROUPS, only);
  let wanted: RegExp | string | undefined = only;
  try {
    if (only !== undefined && !isGroup) wanted = new RegExp(only, 'i');
  } catch (cause) {
    throw new SyncerError('usage', `not a regular expression: ${only}`, { cause });
  }
  const common = ofBackend !== '' && !isGroup ? '' : flagsHelp(wanted, env, style);
  const further = isGroup || ofBackend !== '' ? ofBackend : backendFlagsHelp(wanted, style);
  const text = [common, further].filter((part) => part !== '').join('\n');
  if (text !== '') return text;
  throw new SyncerError('usage', `no flag has "${only}" in its name or help; see "help flags"`);
}

function helpOnCommand(name: string, detail: string | undefined, help: Help): string {
  const { commands } = help;
  const command = commands.find((one) => one.name === name);
  // `serve s3`: a word that is always the first argument.
  if (command !== undefined && (detail === undefined || command.usage.startsWith(`${detail} `))) {
    return commandHelp(command, { ...help, subcommands: subcommandsOf(command) });
  }
  const path = detail === undefined ? name : `${name} ${detail}`;
  const usage = allUsages(commands).find((one) => one.name === path);
  if (usage !== undefined) return commandHelp(usage, help);
  const shown = allUsages(commands).filter(({ hidden }) => hidden !== true);
  const nearest = nearestName(path, [...shown.map((one) => one.name), ...Object.keys(TOPICS)]);
  const text = `no help on ${path}`;
  if (nearest !== undefined) throw new SyncerError('usage', `${text} (did you mean ${nearest}?)`);
  throw new SyncerError('usage', text, { advice: 'see "syncer help commands"' });
}
