import type { OptionType } from './options.ts';

/** The headings of flags in help and documentation. */
export const FLAG_GROUPS = {
  command: 'Flags',
  main: 'Flags for most commands',
  copy: 'Flags for copying files',
  sync: 'Flags for sync',
  filter: 'Flags for choosing files',
  listing: 'Flags for listings',
  logging: 'Flags for logging and progress',
  network: 'Flags for the network',
  speed: 'Flags for speed',
  local: 'Flags for local disks',
  config: 'Flags for configuration',
  accepted: 'Flags of rclone that do nothing here',
} as const;

/** A heading of the flag table. */
export type FlagGroup = keyof typeof FLAG_GROUPS;

/** A flag's value after parsing. */
export type FlagValue = boolean | number | string | readonly string[] | undefined;

/**
 * One flag, declared once for parsing, help, the environment and the documentation. Its environment variable is
 * `SYNCER_` and the name in upper case with `_` for `-`; lists are CSV there.
 */
export interface FlagDefinition {
  /** For a `list`: its variable has one value, including any commas. */
  readonly oneInVariable?: true;
  /** Its name on the command line, if that is not its key in the table. */
  readonly name?: string;
  /** The one letter of `-x`. */
  readonly short?: string;
  readonly type: OptionType;
  /** The value if it is not given. Sizes in bytes, durations in milliseconds. */
  readonly default?: boolean | number | string;
  /** The default as shown in help, if `default` cannot say it. */
  readonly defaultText?: string;
  /** The allowed values, in lower case; any case may be typed. */
  readonly values?: readonly string[];
  /** Of a `string` or an `int`: what is wrong with a value, in a sentence; `undefined` for a valid one. */
  readonly check?: (value: string) => string | undefined;
  /** Of a `duration`, as in rclone: no bare number but 0, and no date. */
  readonly needsUnit?: true;
  /** The value of the flag without `=`; it never takes the next argument. */
  readonly bareValue?: string;
  /** For an `int`: a percentage is allowed, too, and stays text: `20%`. */
  readonly orPercent?: true;
  /** The name of the value in help; by default the type. */
  readonly placeholder?: string;
  /** Of an ignored flag: it does not change the result of a run. */
  readonly isHint?: true;
  /** Of an ignored flag: without it, the log is not where it is looked for. */
  readonly losesLog?: true;
  /** One line without a full stop. */
  readonly help: string;
  /** The flag that it belongs to: the help of a command with both says so, and shows it last. */
  readonly of?: string;
  readonly group: FlagGroup;
  /** The commands with this flag; absent: all. */
  readonly commands?: readonly string[];
  /** See `decidesAboutFiles`, if its group does not say it; a function for a flag with which some values do not. */
  readonly decides?: boolean | ((value: string) => boolean);
}

/** Flags of these groups decide what is done with files. */
const DECIDING: readonly FlagGroup[] = ['copy', 'sync', 'filter', 'local'];

/**
 * Whether a flag with this value decides what is done with files, and does nothing else: it starts no program, writes no
 * file beside those of the run, and changes neither the log nor the configuration. What others wrote, a saved plan or a
 * run in a queue, may hold no other flags.
 */
export function decidesAboutFiles(
  { group, decides = DECIDING.includes(group) }: FlagDefinition,
  value = '',
): boolean {
  return typeof decides === 'boolean' ? decides : decides(value);
}

/** What a flag has beside its type and help; no other members. */
type More<Given> = Given & { readonly [Key in Exclude<keyof Given, keyof FlagDefinition>]: never };

/** Declares a flag: its help, and the name of its value there or whatever else it has. */
interface Declare<Type extends OptionType> {
  (help: string, placeholder: string): Record<'help' | 'placeholder', string> & { type: Type };
  <const Given extends Partial<FlagDefinition> = object>(
    help: string,
    more?: More<Given>,
  ): { readonly type: Type; readonly help: string } & Given;
}

function ofType<const Type extends OptionType>(type: Type): Declare<Type> {
  return (help: string, more?: string | Partial<FlagDefinition>) =>
    ({ type, help, ...(typeof more === 'string' ? { placeholder: more } : more) }) as never;
}

export const bool = ofType('bool');
/** A flag that counts how often it is given. */
export const count = ofType('count');
export const int = ofType('int');
export const float = ofType('float');
/** A size in bytes. */
export const size = ofType('size');
/** A duration in milliseconds. */
export const duration = ofType('duration');
export const text = ofType('string');
/** A text that may be given several times. */
export const list = ofType('list');

type Definitions<Shared> = Readonly<Record<string, Omit<FlagDefinition, keyof Shared>>>;

type Scalar<F extends FlagDefinition> = F['type'] extends 'int' | 'float' | 'size' | 'duration'
  ? number
  : F extends { values: readonly (infer V extends string)[] }
    ? V
    : string;

type ValueOf<F extends FlagDefinition> = F extends { readonly orPercent: true }
  ? number | `${number}%` | undefined
  : F['type'] extends 'bool'
    ? boolean
    : F['type'] extends 'count'
      ? number
      : F['type'] extends 'list'
        ? readonly string[]
        : F extends { readonly default: boolean | number | string }
          ? Scalar<F>
          : Scalar<F> | undefined;

export type FlagRows = Readonly<Record<string, FlagDefinition>>;

/**
 * The values of flags, by key; flags of other commands have their defaults.
 *
 * - `bool`: false by default. `count`: how often it was given. `list`: in the given order.
 * - `size` in bytes, `duration` in milliseconds (fractions for less), `int` and `float` as numbers.
 * - `undefined` without a default and a given value, and for a size or duration of `off`; with a default, `off` is -1.
 */
export type ValuesOf<Rows extends FlagRows> = { readonly [K in keyof Rows]: ValueOf<Rows[K]> };

type With<Shared, Flags> = { readonly [Key in keyof Flags]: Flags[Key] & Shared };

/** Common flags under one heading. */
export function groupFlags<
  const Group extends FlagGroup,
  const Flags extends Definitions<{ group: Group }>,
>(group: Group, flags: Flags): With<{ readonly group: Group }, Flags> {
  return withMembers({ group }, flags);
}

/** Flags of these commands only. */
export function commandFlags<const Flags extends Definitions<{ group: string; commands: string }>>(
  commands: readonly string[],
  flags: Flags,
): With<{ readonly group: 'command'; readonly commands: readonly string[] }, Flags> {
  return withMembers({ group: 'command', commands }, flags);
}

/** As `commandFlags`, of flags that decide about files. */
export function decidingFlags<
  const Flags extends Definitions<{ group: string; commands: string; decides: true }>,
>(
  commands: readonly string[],
  flags: Flags,
): With<
  { readonly group: 'command'; readonly commands: readonly string[]; readonly decides: true },
  Flags
> {
  return withMembers({ group: 'command', commands, decides: true }, flags);
}

function withMembers<Shared extends object, Flags extends object>(shared: Shared, flags: Flags) {
  const entries = Object.entries(flags).map(([key, flag]) => [key, { ...flag, ...shared }]);
  return Object.fromEntries(entries) as With<Shared, Flags>;
}

/** The value of a flag that is not given. */
export function defaultValue({ type, default: value }: FlagDefinition): FlagValue {
  if (value !== undefined) return value;
  if (type === 'bool') return false;
  if (type === 'count') return 0;
  return type === 'list' ? [] : undefined;
}

/** Whether the value is a local file or directory. */
export function namesLocalPath({ placeholder = '' }: FlagDefinition): boolean {
  return placeholder === 'file' || placeholder === 'directory';
}
