import { FLAG_GROUPS, type FlagDefinition, type FlagGroup } from '../../core/flags.ts';
import { harmlessLine } from '../../core/shown-text.ts';
import { formatDuration, formatSize } from '../../go/quantities.ts';
import {
  allUsages,
  type CommandSummary,
  type CommandUsage,
  usageLine,
} from '../command-line/command.ts';
import { holdsNoSecret } from '../command-line/flag-notices.ts';
import {
  actingFlags,
  commonFlags,
  ignoredFlags,
  type KnownFlag,
} from '../command-line/flag-set.ts';
import { environmentVariables } from '../command-line/flag-value.ts';
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

/** The help of the program, on one screen: the names of all commands, and where to continue. */
export function programHelp(style: HelpStyle): string {
  const what = 'syncer copies, syncs, moves, checks and lists files on disks and in the cloud.';
  const groups = COMMAND_GROUPS.map(({ title, commands }): Row => [title, commands.join(', ')]);
  const steps: readonly Row[] = [
    ['syncer', 'open the home screen'],
    ['syncer config', 'create a remote, such as shelf:'],
    ['syncer sync ~/docs shelf:docs -n', 'show what a sync would change'],
    ['syncer help sync', 'help on a command, with examples'],
    ['syncer help commands', 'what each command does'],
    ['syncer help flags', 'flags; also: help filters, help backends'],
  ];
  return page([
    fillText(what, style.columns),
    [`${heading('Usage', style)} syncer <command> <args> [flags]`],
    section('Commands', rowLines(groups, style), style),
    section('First steps', rowLines(steps, style), style),
  ]);
}

/** Every command with its summary, by group. */
export function commandsHelp(commands: readonly CommandSummary[], style: HelpStyle): string {
  return page(
    COMMAND_GROUPS.map(({ title, commands: names }) => {
      const inGroup = names.flatMap((name) => commands.filter((one) => one.name === name));
      return [heading(title, style), ...usageRows(inGroup, style)];
    }),
  );
}

/**
 * The help of a command: description, usage, its flags, examples, and where to continue.
 *
 * @param command with its full name: `config create`
 * @param parts all commands, for references to them; the variables of `env` change defaults
 */
export function commandHelp(
  command: CommandUsage,
  parts: {
    readonly subcommands?: readonly CommandUsage[];
    readonly commands?: readonly CommandSummary[];
    readonly env?: NodeJS.ProcessEnv;
    readonly style?: HelpStyle;
  } = {},
): string {
  const { subcommands = [], commands = [], env = {}, style = UNWRAPPED } = parts;
  const [top = ''] = command.name.split(' ');
  const { flags, groups }: Pick<CommandGroup, 'flags' | 'groups'> = {
    flags: READING,
    groups: CONNECTED,
    ...COMMAND_GROUPS.find((group) => group.commands.includes(top)),
    ...EXCEPTIONS[top],
  };
  const acting = actingFlags(commands, command.name);
  const often = oftenUsed(command, acting);
  const own = acting.filter((flag) => !often.includes(flag));
  const common = commonFlags().filter((flag) => !often.includes(flag));
  const general = flags.flatMap((name) => common.filter((flag) => flag.name === name));
  const inline = groups.filter((group) => group === command.name);
  const ignored = ignoredFlags(commands, command.name);
  const usages = allUsages(commands);
  const references = (command.see ?? []).map((name): Row => {
    const summary = usages.find((one) => one.name === name)?.summary ?? TOPICS[name] ?? '';
    return [`syncer help ${name}`, summary];
  });
  const flagsOf = groups
    .filter((group) => !inline.includes(group))
    .map((group): Row => [`syncer help flags ${group}`, FLAG_GROUPS[group]]);
  return page([
    fillText(`${command.summary}.`, style.columns),
    command.description === undefined ? [] : descriptionLines(command.description, style),
    [heading('Usage', style), ...fillText(usageLine(command), style.columns, '      ', '  ')],
    section('Commands', usageRows(subcommands, style), style),
    section('Most used flags', flagLines(often, env, style), style),
    section(FLAG_GROUPS.command, flagLines(own, env, style), style),
    section(
      FLAG_GROUPS.accepted,
      ignored ? fillText(ignored, style.columns, '  ', '  ') : [],
      style,
    ),
    ...inline.map((group) => {
      const flags = common.filter(({ definition }) => definition.group === group);
      return section(FLAG_GROUPS[group], flagLines(flags, env, style), style);
    }),
    section('General flags', flagLines(general, env, style), style),
    section('Exit codes', rowLines(exitRows(command), style), style),
    section(
      'Examples',
      examplesOf(command).flatMap(([line, what]) => [
        ...fillText(`# ${what}`, style.columns, '    ', '  '),
        ...commandLines(line, style),
      ]),
      style,
    ),
    section('See also', rowLines([...references, ...flagsOf], style), style),
  ]);
}

/** The flags that the help of a command shows first. */
export function oftenUsed(
  { often = [] }: CommandUsage,
  own: readonly KnownFlag[],
): readonly KnownFlag[] {
  const all = [...own, ...commonFlags()];
  return often.flatMap((name) => all.find((flag) => flag.name === name) ?? []);
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

/** The examples of a command, each with what it does. */
export function examplesOf({ examples = '' }: CommandUsage): readonly Row[] {
  return examples.split('\n').flatMap((line): readonly Row[] => {
    const at = line.lastIndexOf('  # ');
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 4)]];
  });
}

/** The exit codes that a command has of its own, each with when. */
export function exitRows({ exits = {} }: CommandUsage): Row[] {
  return Object.entries(exits).map(([code, when]): Row => [code, when]);
}

/** Topics of `syncer help` that are no commands. */
export const TOPICS: Readonly<Record<string, string>> = {
  commands: 'What each command does',
  flags: 'Flags common to all commands',
  filters: 'Filter rules',
  backends: 'Backends',
  backend: 'The options of a backend',
};

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
    const inGroup = flags.filter(({ definition }) => definition.group === group);
    return section(title, flagLines(inGroup, env, style), style);
  });
  return page(sections);
}

/** Commands under one heading of the help, and the flags that they heed. */
interface CommandGroup {
  readonly title: string;
  readonly commands: readonly string[];
  /** Flags shown in the help of each command, by name. */
  readonly flags: readonly string[];
  /** Groups of flags that the help of each command refers to. */
  readonly groups: readonly FlagGroup[];
}

const CONNECTED = ['logging', 'network', 'config'] as const;
const CHANGING = ['dry-run', 'interactive', 'verbose', 'help'];
const READING = ['verbose', 'help'];

/** All commands, in the order of the help. */
const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Transfer',
    commands: 'copy sync move bisync copyto moveto convmv apply run job guard'.split(' '),
    flags: ['dry-run', 'interactive', 'progress', 'verbose', 'help'],
    groups: ['copy', 'sync', 'filter', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'Compare',
    commands: ['check', 'checksum', 'scrub', 'why'],
    flags: ['progress', 'verbose', 'help'],
    groups: ['copy', 'filter', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'List',
    commands: 'ls lsd lsl lsf lsjson tree size md5sum sha1sum hashsum'.split(' '),
    flags: READING,
    groups: ['filter', 'listing', 'logging', 'network', 'speed', 'local', 'config'],
  },
  {
    title: 'Browse',
    commands: ['ncdu', 'home', 'demo'],
    flags: ['dry-run', 'help'],
    groups: ['filter', 'network', 'speed', 'config'],
  },
  {
    title: 'Read, write',
    commands: ['cat', 'rcat', 'copyurl', 'touch', 'link', 'settier', 'versions', 'uploads'],
    flags: CHANGING,
    groups: ['filter', ...CONNECTED],
  },
  {
    title: 'Delete',
    commands: ['delete', 'deletefile', 'purge', 'rmdir', 'rmdirs', 'dedupe', 'cleanup', 'undo'],
    flags: CHANGING,
    groups: ['filter', ...CONNECTED],
  },
  {
    title: 'Remotes',
    commands: ['config', 'listremotes', 'about', 'mkdir', 'authorize', 'backend', 'obscure'],
    flags: CHANGING,
    groups: CONNECTED,
  },
  {
    title: 'Serve, mount',
    commands: ['serve', 'mount', 'mounts', 'unmount', 'hooks', 'worker'],
    flags: READING,
    groups: CONNECTED,
  },
  {
    title: 'Runs',
    commands: 'ps attach pause resume stop set unlock history trash'.split(' '),
    flags: ['help'],
    groups: [],
  },
  {
    title: 'Program',
    commands: ['doctor', 'completion', 'genautocomplete', 'gendocs', 'version', 'help'],
    flags: ['help'],
    groups: [],
  },
];

/** Commands with other flags than the rest of their group. */
const EXCEPTIONS: Readonly<Record<string, Partial<Pick<CommandGroup, 'flags' | 'groups'>>>> = {
  demo: { flags: ['help'], groups: [] },
  home: { flags: ['help'], groups: ['config'] },
  cat: { flags: READING },
  link: { flags: READING, groups: CONNECTED },
  rcat: { groups: ['copy', ...CONNECTED] },
  copyurl: {
    flags: ['dry-run', 'interactive', 'progress', 'verbose', 'help'],
    groups: CONNECTED,
  },
  deletefile: { groups: CONNECTED },
  purge: { groups: CONNECTED },
  rmdir: { groups: CONNECTED },
  listremotes: { flags: READING, groups: ['config'] },
  about: { flags: READING },
  authorize: { flags: READING },
  obscure: { flags: ['help'], groups: [] },
  guard: { flags: ['dry-run', 'verbose', 'help'], groups: CONNECTED },
  unlock: { flags: ['help'], groups: CONNECTED },
  history: { flags: ['help'], groups: [] },
  trash: { flags: CHANGING, groups: ['filter', ...CONNECTED] },
  doctor: { flags: CHANGING, groups: CONNECTED },
  mounts: { flags: ['help'], groups: [] },
  unmount: { flags: ['help'], groups: [] },
  hooks: { flags: ['help'], groups: [] },
  mount: { groups: ['filter', 'logging', 'network', 'config'] },
  serve: { groups: ['filter', 'logging', 'network', 'config'] },
};

/** Flags as aligned lines: `  -n, --dry-run   Show what would be done without changing anything`. */
export function flagLines(
  flags: readonly KnownFlag[],
  env: NodeJS.ProcessEnv = {},
  style = UNWRAPPED,
): string[] {
  const rows = flags.map((flag) => {
    const indent = flag.definition.short === undefined ? '    ' : '';
    return [`${indent}${flagName(flag)}`, flagHelp(flag, env)] as const;
  });
  return rowLines(rows, style);
}

/** How a flag is given: `-n, --dry-run`, `--transfers int`. */
export function flagName({ name, definition }: KnownFlag): string {
  const { type, values, bareValue, placeholder = values?.join('|') ?? type } = definition;
  const short = definition.short === undefined ? '' : `-${definition.short}, `;
  const value = bareValue === undefined ? ` ${placeholder}` : `[=${placeholder}]`;
  return `${short}--${name}${type === 'bool' || type === 'count' ? '' : value}`;
}

/** The help of a flag and its default; without a full stop. */
export function flagHelp(flag: KnownFlag, env: NodeJS.ProcessEnv = {}): string {
  const { definition } = flag;
  const { help, type } = definition;
  const variable = environmentVariables(flag).find((name) => env[name] !== undefined);
  let usual = definition.defaultText ?? defaultText(definition);
  if (variable !== undefined) {
    const text = env[variable] ?? '';
    usual = holdsNoSecret(flag.name, text) ? harmlessLine(text) : 'REDACTED';
  }
  const more = type === 'list' ? ' (repeatable)' : '';
  return `${help}${more}${usual === undefined ? '' : ` (default ${usual})`}`;
}

function defaultText({ type, default: value }: FlagDefinition): string | undefined {
  if (value === undefined || value === false || value === '') return undefined;
  if (typeof value !== 'number') return String(value);
  if (value === 0) return undefined;
  if (type === 'size') return formatSize(value);
  return type === 'duration' ? formatDuration(value) : String(value);
}
