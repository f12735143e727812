import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FlagDefinition, FlagValue } from '../flags/flag-definition.ts';
import { FLAGS, type Flags } from '../flags/flag-table.ts';
import { readCsvRecord } from './csv-record.ts';
import { type FlagSet, flagSetOf, type KnownFlag } from './flag-set.ts';
import { environmentVariables, readFlagValue } from './flag-value.ts';
import { nearestName } from './nearest-name.ts';
import { flagWord, hinted, readTokens } from './read-tokens.ts';

/** A parsed command line. */
export interface CommandLine {
  /** Absent if only flags were given. */
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Keys of the flags given on the command line or in the environment. */
  readonly given: ReadonlySet<string>;
  /** Keys of the flags given on the command line. */
  readonly typed: ReadonlySet<string>;
  /** The variables that set flags, in table order. */
  readonly variables: readonly FlagVariable[];
  /** The given flags of backends, by name: `s3-endpoint`. */
  readonly backendFlags: Readonly<Record<string, string>>;
  /** The typed flags as words, to run another command with them: `--transfers=8`. */
  readonly flagWords: readonly string[];
}

/** A flag set by an environment variable, or the first values of its list. */
export interface FlagVariable {
  /** Key of the flag, and its name on the command line. */
  readonly key: string;
  readonly name: string;
  readonly variable: string;
  readonly text: string;
  /** The parsed value, or the values of a list. */
  readonly values: readonly string[];
}

/** The words that a command line may contain. */
export interface Vocabulary {
  /** Names of commands; of subcommands in full: `config create`. */
  readonly commands: readonly string[];
  readonly backendFlags: readonly KnownFlag[];
  readonly env: NodeJS.ProcessEnv;
  /** The base of durations given as dates, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Parses the command line and the environment. Throws `usage` for an unknown word, with the closest known one, and for
 * invalid values.
 */
export function parseCommandLine(argv: readonly string[], vocabulary: Vocabulary): CommandLine {
  const { commands, backendFlags, env, nowMs } = vocabulary;
  const all = flagSetOf(undefined, backendFlags);
  const command = findArgument(argv, all, 0);
  if (command !== undefined && !commands.includes(command)) throw unknownCommand(command, commands);
  const flagSet = flagSetOf(withSubcommand(command, argv, all, commands), backendFlags);
  const values = new FlagValues(nowMs);
  for (const flag of flagSet.byName.values()) values.setFromEnv(flag, env);
  const args: string[] = [];
  const flagWords: string[] = [];
  for (const token of readTokens(argv, flagSet)) {
    if (token.kind === 'arg') {
      args.push(token.text);
      continue;
    }
    const { flag, value, typed } = token;
    values.setTyped(flag, value, typed);
    flagWords.push(flagWord(token));
  }
  return { command, args: args.slice(1), flagWords, ...values.result() };
}

/** Whether the command line may contain flags of backends; only then their list is loaded. */
export function mayHoldBackendFlags(argv: readonly string[]): boolean {
  const known = flagSetOf(undefined).byName;
  const names = argv.filter((word) => /^--[^-=]/.test(word)).map((word) => word.slice(2));
  return names.some((name) => !known.has(name.replace(/=.*/s, '')));
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

function unknownCommand(typed: string, commands: readonly string[]): SyncerError {
  const nearest = nearestName(
    typed,
    commands.filter((name) => !name.includes(' ')),
  );
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return new SyncerError('command-line', `unknown command: ${typed}${hint}`, hinted(hint));
}

/** The values of the flags during parsing: defaults, then the environment, then the command line. */
class FlagValues {
  readonly #values = defaultValues();
  readonly #given = new Set<string>();
  readonly #typed = new Set<string>();
  readonly #variables: FlagVariable[] = [];
  readonly #backendFlags: Record<string, string> = {};
  readonly #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  setFromEnv(flag: KnownFlag, env: NodeJS.ProcessEnv): void {
    if (flag.ofBackend || flag.key === 'help' || flag.key === 'version') return;
    const variable = environmentVariables(flag).find((name) => env[name] !== undefined);
    if (variable === undefined) return;
    const { key, name, definition } = flag;
    const problem = `invalid value in the environment variable ${variable}`;
    const text = env[variable] ?? '';
    const isList = definition.type === 'list' && definition.oneInVariable !== true;
    const values = isList ? telling('usage', problem, () => readCsvRecord(text)) : [text];
    for (const value of values) this.#set(flag, value, 'usage', problem);
    this.#variables.push({ key, name, variable, text, values });
  }

  /** Sets a flag that was typed as `typed`. */
  setTyped(flag: KnownFlag, text: string | undefined, typed: string): void {
    this.#set(flag, text, 'command-line', `invalid value for flag ${typed}`);
    this.#typed.add(flag.key);
  }

  /** Sets a flag; an error has this code, and its message starts with `problem`. */
  #set(flag: KnownFlag, text: string | undefined, code: ErrorCode, problem: string): void {
    const { key, definition } = flag;
    const before = this.#values[key];
    const value = telling(code, problem, () =>
      readFlagValue(definition, text, before, this.#nowMs),
    );
    if (flag.ofBackend) this.#backendFlags[flag.name] = text ?? 'true';
    else this.#values[key] = value;
    this.#given.add(key);
  }

  result(): Omit<CommandLine, 'command' | 'args' | 'flagWords'> {
    return {
      flags: this.#values as unknown as Flags,
      given: this.#given,
      typed: this.#typed,
      variables: this.#variables,
      backendFlags: this.#backendFlags,
    };
  }
}

/** Runs `read`; its errors have this code and start with `problem`. */
function telling<T>(code: ErrorCode, problem: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new SyncerError(code, `${problem}: ${toSyncerError(thrown).message}`);
  }
}

function defaultValues(): Record<string, FlagValue> {
  const values: Record<string, FlagValue> = {};
  for (const [key, definition] of Object.entries<FlagDefinition>(FLAGS)) {
    values[key] = definition.default ?? emptyValue(definition);
  }
  return values;
}

function emptyValue({ type }: FlagDefinition): FlagValue {
  if (type === 'bool') return false;
  if (type === 'count') return 0;
  return type === 'list' ? [] : undefined;
}
