import type { FlagDefinition } from '../flags/flag-definition.ts';
import { FLAGS } from '../flags/flag-table.ts';

/** A flag as parsing sees it: its record, its key in the table and its name on the command line. */
export interface KnownFlag {
  /** Key of the flag table; the flag's own name for flags of backends. */
  readonly key: string;
  readonly name: string;
  readonly definition: FlagDefinition;
  /** A flag like `--s3-endpoint`: it sets an option of a kind of remote. */
  readonly ofBackend?: true;
}

/** The flags that one command knows. */
export interface FlagSet {
  readonly byName: ReadonlyMap<string, KnownFlag>;
  readonly byShort: ReadonlyMap<string, KnownFlag>;
}

/**
 * The flags a command knows: its own, which win, and those every command has.
 *
 * @param command Name of the command, with its subcommand where it has one; without it the flags that every
 *   command has, and after them those of all commands, which is what may stand before the command is known.
 * @param backendFlags Flags of backends, where they are loaded.
 */
export function flagSetOf(
  command: string | undefined,
  backendFlags: readonly KnownFlag[] = [],
): FlagSet {
  const all = tableFlags();
  const own = all.filter((flag) => isOwn(flag, command));
  const common = all.filter((flag) => flag.definition.commands === undefined);
  const flags = command === undefined ? [...common, ...own] : [...own, ...common];
  const byName = new Map<string, KnownFlag>();
  const byShort = new Map<string, KnownFlag>();
  for (const flag of [...flags, ...backendFlags]) {
    if (byName.has(flag.name)) continue;
    byName.set(flag.name, flag);
    const { short } = flag.definition;
    if (short !== undefined && !byShort.has(short)) byShort.set(short, flag);
  }
  return { byName, byShort };
}

/** The flags of the table that belong to this command (`check`, `config create`) alone or to a few with it. */
export function ownFlags(command: string): readonly KnownFlag[] {
  return tableFlags().filter((flag) => isOwn(flag, command));
}

/** The commands that have a flag of this name of their own. */
export function commandsWith(name: string): readonly string[] {
  const flags = tableFlags().filter((flag) => flag.name === name);
  return flags.flatMap(({ definition }) => definition.commands ?? []);
}

/** The flags of the table that every command has. */
export function commonFlags(): readonly KnownFlag[] {
  return tableFlags().filter((flag) => flag.definition.commands === undefined);
}

let ofTable: readonly KnownFlag[] | undefined;

function tableFlags(): readonly KnownFlag[] {
  ofTable ??= Object.entries<FlagDefinition>(FLAGS).map(([key, definition]) => ({
    key,
    name: definition.name ?? key,
    definition,
  }));
  return ofTable;
}

function isOwn({ definition }: KnownFlag, command: string | undefined): boolean {
  const { commands } = definition;
  return commands !== undefined && (command === undefined || commands.includes(command));
}
