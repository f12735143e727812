import type { OptionType } from '../../core/options.ts';

/** The headings under which help and documentation list flags. */
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
 * One flag, declared once: parsing, help, the environment and the documentation read this record.
 * Its environment variable is `SYNCER_` and the name in upper case with `_` for `-`; lists are CSV there.
 */
export interface FlagDefinition {
  /** Of a `list`: its variable holds one value, whatever commas are in it. */
  readonly oneInVariable?: true;
  /** How it stands on the command line; the key in the table where that is absent. */
  readonly name?: string;
  /** The one letter of `-x`. */
  readonly short?: string;
  readonly type: OptionType;
  /** What the flag is when it is not given. Sizes in bytes, durations in milliseconds. */
  readonly default?: boolean | number | string;
  /** Says in help what happens without the flag where `default` cannot. */
  readonly defaultText?: string;
  /** The only values it takes, in lower case; case does not matter when given. */
  readonly values?: readonly string[];
  /** The value of the flag given alone, without `=`; it then never takes the next argument. */
  readonly bareValue?: string;
  /** What stands for the value in help; by type where absent. */
  readonly placeholder?: string;
  /** One line without a full stop. */
  readonly help: string;
  readonly group: FlagGroup;
  /** The commands that know the flag; every command where absent. */
  readonly commands?: readonly string[];
}

type Definitions<Shared> = Readonly<Record<string, Omit<FlagDefinition, keyof Shared>>>;

type With<Shared, Flags> = { readonly [Key in keyof Flags]: Flags[Key] & Shared };

/** Flags under one heading that every command has. */
export function groupFlags<
  const Group extends FlagGroup,
  const Flags extends Definitions<{ group: Group }>,
>(group: Group, flags: Flags): With<{ readonly group: Group }, Flags> {
  return withMembers({ group }, flags);
}

/** Flags that only these commands have. */
export function commandFlags<const Flags extends Definitions<{ group: string; commands: string }>>(
  commands: readonly string[],
  flags: Flags,
): With<{ readonly group: 'command'; readonly commands: readonly string[] }, Flags> {
  return withMembers({ group: 'command', commands }, flags);
}

function withMembers<Shared extends object, Flags extends object>(shared: Shared, flags: Flags) {
  const entries = Object.entries(flags).map(([key, flag]) => [key, { ...flag, ...shared }]);
  return Object.fromEntries(entries) as With<Shared, Flags>;
}

/** Whether the value of a flag is a file or folder of this machine. */
export function namesLocalPath({ placeholder = '' }: FlagDefinition): boolean {
  return placeholder === 'file' || placeholder === 'directory';
}
