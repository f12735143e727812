import type { FlagDefinition, FlagRows } from '../../core/flags.ts';
import { once } from '../../core/once.ts';
import { FLAGS } from '../flags/flag-table.ts';

/** A flag with its key in the table and its name on the command line. */
export interface KnownFlag {
  /** Key of the flag table; for flags of backends their name. */
  readonly key: string;
  readonly name: string;
  readonly definition: FlagDefinition;
  /** A flag like `--s3-endpoint`, an option of a backend. */
  readonly ofBackend?: true;
}

/** A command with the flags of its capability. */
interface FlagOwner {
  readonly flags?: FlagRows;
}

/** The flags of one command. */
export interface FlagSet {
  readonly byName: ReadonlyMap<string, KnownFlag>;
  readonly byShort: ReadonlyMap<string, KnownFlag>;
  /** For a name that is no flag of the command: what does the same, or which commands have it. */
  elsewhere?(name: string): string | undefined;
}

/**
 * The flags of a command: its own, which take precedence, and the common ones.
 *
 * @param commands all of the program, with the flags of their capabilities
 * @param command Name of the command, with its subcommand. Without it, the common flags, then those of all commands:
 * they may precede the command.
 * @param backendFlags Flags of backends, if they are loaded.
 */
export function flagSetOf(
  commands: readonly FlagOwner[],
  command: string | undefined,
  backendFlags: readonly KnownFlag[] = [],
): FlagSet {
  const own = ownFlags(commands, command);
  const common = commonFlags();
  const flags = command === undefined ? [...common, ...own] : [...own, ...common];
  const byName = new Map<string, KnownFlag>();
  const byShort = new Map<string, KnownFlag>();
  for (const flag of [...flags, ...backendFlags]) {
    if (byName.has(flag.name)) continue;
    byName.set(flag.name, flag);
    const { short } = flag.definition;
    if (short !== undefined && !byShort.has(short)) byShort.set(short, flag);
  }
  return {
    byName,
    byShort,
    elsewhere(name) {
      const isUpdate = command === 'version' && name === 'check';
      if (isUpdate) return 'see "syncer doctor --online" for a newer version';
      const found = allFlags(commands).filter((flag) => flag.name === name);
      const having = found.flatMap(({ definition }) => definition.commands ?? []);
      return having.length === 0 ? undefined : `it is a flag of ${having.join(', ')}`;
    },
  };
}

/** The flags that only this command (`check`, `config create`) or a few others have; without it, those of all commands. */
export function ownFlags(
  commands: readonly FlagOwner[],
  command: string | undefined,
): readonly KnownFlag[] {
  return allFlags(commands).filter(({ definition: { commands: of } }) => {
    return of !== undefined && (command === undefined || of.includes(command));
  });
}

/** Those of `ownFlags` that do something, as help shows them: flags that belong to another one come last. */
export function actingFlags(commands: readonly FlagOwner[], command: string): readonly KnownFlag[] {
  const flags = ownFlags(commands, command).filter(
    ({ definition }) => definition.group !== 'accepted',
  );
  const ofOther = ({ definition: { of } }: KnownFlag) => flags.some(({ name }) => name === of);
  const parts = flags.filter(ofOther).map(({ definition, ...flag }): KnownFlag => {
    const { help, of } = definition;
    const start = /^[A-Z][a-z]/.test(help) ? help.charAt(0).toLowerCase() : help.charAt(0);
    return {
      ...flag,
      definition: { ...definition, help: `With --${of}: ${start}${help.slice(1)}` },
    };
  });
  return [...flags.filter((flag) => !ofOther(flag)), ...parts];
}

/** The others, as one text: `--dir-cache-time, --umask`; `''` for none. */
export function ignoredFlags(commands: readonly FlagOwner[], command: string): string {
  const own = ownFlags(commands, command);
  const ignored = own.filter(({ definition }) => definition.group === 'accepted');
  return ignored.map(({ name }) => `--${name}`).join(', ');
}

/** The flags that every command has. */
export function commonFlags(): readonly KnownFlag[] {
  return tableFlags().filter(({ definition }) => definition.commands === undefined);
}

/** The flags of these capabilities, then those that several have, and the common ones. */
export function allFlags(commands: readonly FlagOwner[]): readonly KnownFlag[] {
  const known = made.get(commands);
  if (known !== undefined) return known;
  const tables = new Set(commands.flatMap(({ flags }) => (flags === undefined ? [] : [flags])));
  const all = [...[...tables].flatMap(knownFlags), ...tableFlags()];
  made.set(commands, all);
  return all;
}

const tableFlags = once(() => knownFlags(FLAGS));

function knownFlags(rows: FlagRows): readonly KnownFlag[] {
  return Object.entries<FlagDefinition>(rows).map(([key, definition]) => {
    return { key, name: definition.name ?? key, definition };
  });
}

/** The flags of a list of commands, which a start of the program asks for several times. */
const made = new WeakMap<readonly FlagOwner[], readonly KnownFlag[]>();
