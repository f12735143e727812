import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { defaultValue, type FlagValue } from '../../core/flags.ts';
import type { Flags } from '../flags/flag-table.ts';
import { allUsages, type CommandLine, type CommandSummary, type FlagVariable } from './command.ts';
import { readCsvRecord } from './csv-record.ts';
import { type FlagPreset, type FlagPresets, presetsFor } from './flag-presets.ts';
import { allFlags, type FlagSet, flagSetOf, type KnownFlag } from './flag-set.ts';
import { environmentVariables, readFlagValue } from './flag-value.ts';
import { nearestName } from './nearest-name.ts';
import { flagWord, hinted, readTokens } from './read-tokens.ts';
import type { RemoteGlobals } from './remote-globals.ts';

/** The words that a command line may contain. */
export interface Vocabulary {
  readonly commands: readonly CommandSummary[];
  readonly backendFlags: readonly KnownFlag[];
  readonly env: NodeJS.ProcessEnv;
  /** The file of defaults; absent if there is none. */
  readonly presets?: FlagPresets | undefined;
  /** The flags that the remotes of the arguments set. */
  readonly globals?: RemoteGlobals | undefined;
  /** The base of durations given as dates, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Parses the command line, the environment and the file of defaults. Throws `command-line` for an unknown word, with
 * the closest known one, and `usage` or `config` for invalid values of the environment and of the file.
 */
export function parseCommandLine(argv: readonly string[], vocabulary: Vocabulary): CommandLine {
  const { commands, backendFlags, env, nowMs, presets } = vocabulary;
  const names = allUsages(commands).map(({ name }) => name);
  const all = flagSetOf(commands, undefined, backendFlags);
  const command = findArgument(argv, all, 0);
  if (command !== undefined && !names.includes(command)) throw unknownCommand(command, names);
  const flagSet = flagSetOf(commands, withSubcommand(command, argv, all, names), backendFlags);
  const values = flagValues(commands, nowMs);
  const tokens = [...readTokens(argv, flagSet)];
  const args = tokens.flatMap((token) => (token.kind === 'arg' ? token.text : [])).slice(1);
  const typedFlags = tokens.filter((token) => token.kind === 'flag');
  const profile = typedFlags.findLast(({ flag }) => flag.key === 'profile')?.value;
  const ofFile = presetsFor(presets ?? {}, args, profile ?? env['SYNCER_PROFILE']);
  const globals = vocabulary.globals?.(args) ?? [];
  // Without a command the words may be flags of any; what they do not say is for the home screen.
  const applied = command === undefined ? flagSetOf(commands, 'home', backendFlags) : flagSet;
  for (const preset of [...ofFile, ...globals]) values.setPreset(preset, applied, all);
  for (const flag of applied.byName.values()) values.setFromEnv(flag, env);
  for (const { flag, value, typed } of typedFlags) values.setTyped(flag, value, typed);
  return {
    command,
    summary: commands.find(({ name }) => name === command),
    args,
    flagWords: typedFlags.map(flagWord),
    appliedGlobals: new Set(globals.map(({ section }) => section)),
    beganMs: nowMs,
    ...values.result,
  };
}

/** Whether the command line may contain flags of backends; only then their list is loaded. */
export function mayHoldBackendFlags(
  commands: readonly CommandSummary[],
  argv: readonly string[],
): boolean {
  return unknownFlags(commands, argv).length > 0;
}

/** The names of flags among the words that are neither in the table nor among these, as far as words can be flags. */
export function unknownFlags(
  commands: readonly CommandSummary[],
  argv: readonly string[],
  backendFlags: readonly KnownFlag[] = [],
): readonly string[] {
  const words = argv.filter((word) => /^--[^-=]/.test(word));
  const names = words.map((word) => word.slice(2).replace(/=.*/s, ''));
  const known = [...allFlags(commands), ...backendFlags];
  return names.filter((name) => known.every((flag) => flag.name !== name));
}

function findArgument(argv: readonly string[], flags: FlagSet, index: number): string | undefined {
  let seen = 0;
  for (const token of readTokens(argv, flags)) {
    if (token.kind === 'arg' && seen++ === index) return token.text;
  }
  return undefined;
}

/** The command with its subcommand, if the command line has one: `config create`. */
function withSubcommand(
  command: string | undefined,
  argv: readonly string[],
  flags: FlagSet,
  commands: readonly string[],
): string | undefined {
  if (!commands.some((name) => name.startsWith(`${command} `))) return command;
  try {
    const path = `${command} ${findArgument(argv, flags, 1)}`;
    return commands.includes(path) ? path : command;
  } catch {
    // An unknown flag: reported when the line is parsed with the flags of this command.
    return command;
  }
}

const WITH_RCLONE = 'run it with rclone, which can use the same configuration';
const RUNS = '"syncer ps", "attach", "pause", "set" and "stop" control a run';

/** What to use instead of commands of rclone that are missing. */
const OF_RCLONE: Readonly<Record<string, string>> = {
  archive: WITH_RCLONE,
  cryptcheck: 'use "syncer check --download", or rclone',
  cryptdecode: WITH_RCLONE,
  gitannex: WITH_RCLONE,
  gui: 'use "syncer", the home screen',
  nfsmount: 'use "syncer mount"',
  rc: RUNS,
  rcd: RUNS,
  selfupdate: 'install a newer package; "syncer doctor --online" looks for one',
  test: 'use "syncer doctor"',
};

function unknownCommand(typed: string, commands: readonly string[]): SyncerError {
  const advice = OF_RCLONE[typed];
  if (advice !== undefined) {
    const text = `${typed} is a command of rclone that syncer does not have`;
    return new SyncerError('command-line', text, { advice });
  }
  const single = commands.filter((name) => !name.includes(' '));
  const nearest = nearestName(typed, single);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return new SyncerError('command-line', `unknown command: ${typed}${hint}`, hinted(hint));
}

/** The values of the flags during parsing: defaults, then the file of defaults, the environment, the command line. */
function flagValues(commands: readonly CommandSummary[], nowMs: number) {
  const flags: Record<string, FlagValue> = {};
  for (const { key, definition } of allFlags(commands)) flags[key] = defaultValue(definition);
  const given = new Set<string>();
  const typed = new Set<string>();
  const variables: FlagVariable[] = [];
  const backendFlags: Record<string, string> = {};
  /** Sets a flag; an error has this code, and its message starts with `problem`. */
  const set = (flag: KnownFlag, text: string | undefined, code: ErrorCode, problem: string) => {
    const { key, name, definition, ofBackend } = flag;
    const value = telling(code, problem, () => readFlagValue(definition, text, flags[key], nowMs));
    if (ofBackend) backendFlags[name] = text ?? 'true';
    else flags[key] = value;
    given.add(key);
  };
  return {
    result: { flags: flags as unknown as Flags, given, typed, variables, backendFlags },
    setFromEnv(flag: KnownFlag, env: NodeJS.ProcessEnv) {
      const { key, name, definition, ofBackend } = flag;
      if (ofBackend || key === 'help' || key === 'version') return;
      const variable = environmentVariables(flag).find((one) => env[one] !== undefined);
      if (variable === undefined) return;
      const problem = `invalid value in the environment variable ${variable}`;
      const text = env[variable] ?? '';
      const isList = definition.type === 'list' && definition.oneInVariable !== true;
      const values = isList ? telling('usage', problem, () => readCsvRecord(text)) : [text];
      for (const value of values) set(flag, value, 'usage', problem);
      variables.push({ key, name, variable, text, values });
    },
    /** Sets a flag of the file of defaults, if this command has it. */
    setPreset({ name, text, at }: FlagPreset, own: FlagSet, all: FlagSet) {
      const flag = own.byName.get(name);
      if (flag !== undefined) {
        set(flag, text, 'config', `${at}: invalid value for ${name}`);
        variables.push({ key: flag.key, name, at, text, values: [text] });
      } else if (!all.byName.has(name)) {
        const nearest = nearestName(name, [...all.byName.keys()]);
        const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
        throw new SyncerError('config', `${at}: unknown flag: ${name}${hint}`);
      }
    },
    setTyped(flag: KnownFlag, text: string | undefined, as: string) {
      set(flag, text, 'command-line', `invalid value for flag ${as}`);
      typed.add(flag.key);
    },
  };
}

/** Runs `read`; its errors have this code and start with `problem`. */
function telling<T>(code: ErrorCode, problem: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new SyncerError(code, `${problem}: ${toSyncerError(thrown).message}`);
  }
}
