import type { FlagDefinition, FlagRows, ValuesOf } from '../../core/flags.ts';
import { type AllOf, PASSES, type PassRows } from '../../engine/passes/list.ts';
import { OFFERED_FLAGS, type RuleRows } from '../../engine/rules/flags.ts';
import { ACCEPTED_FLAGS } from './accepted-flags.ts';
import { COMMAND_FLAGS } from './command-flags.ts';
import { COPY_FLAGS, LOCAL_FLAGS } from './copy-flags.ts';
import { FILTER_FLAGS } from './filter-flags.ts';
import { LISTING_FLAGS } from './listing-flags.ts';
import { LOGGING_FLAGS } from './logging-flags.ts';
import { CONFIG_FLAGS, NETWORK_FLAGS } from './network-flags.ts';
import { REPORT_FLAGS, RUN_FLAGS } from './run-flags.ts';

/** The flags without those of passes and rules. */
const TABLES = [
  ACCEPTED_FLAGS as Readonly<Record<never, FlagDefinition>>,
  COPY_FLAGS,
  FILTER_FLAGS,
  COMMAND_FLAGS,
  RUN_FLAGS,
  REPORT_FLAGS,
  LISTING_FLAGS,
  LOGGING_FLAGS,
  NETWORK_FLAGS,
  LOCAL_FLAGS,
  CONFIG_FLAGS,
] as const satisfies readonly FlagRows[];

/**
 * The common flags, and those that several capabilities have, each declared once, and only if it has an effect. The
 * others are in the `command.ts` of their capability.
 *
 * The keys are the names on the command line. If a name means something else for another command, the key starts with
 * the command: `tree-size` is `tree --size`, `rcat-size` is `rcat --size`.
 */
export const FLAGS = allFlags() as AllOf<(typeof TABLES)[number]> & PassRows & RuleRows;

/** Flags of a pass or a rule stand behind the one that it names. Each start of the program waits for this. */
function allFlags(): FlagRows {
  const rows: Record<string, FlagDefinition> = {};
  const offered = [...OFFERED_FLAGS, ...PASSES];
  const starts = new Set<string>(offered.map(({ after }) => after));
  for (const table of TABLES as readonly FlagRows[]) {
    for (const key in table) {
      rows[key] = table[key] as FlagDefinition;
      if (!starts.has(key)) continue;
      for (const { after, flags } of offered) if (after === key) Object.assign(rows, flags);
    }
  }
  return rows;
}

/** The values of the common flags, and of those that several capabilities have. */
export type Flags = ValuesOf<typeof FLAGS>;

/** The flags of a capability without own ones. */
export type NoFlags = Readonly<Record<never, never>>;

/** The values of these flags, and of those of a capability. */
export type FlagsWith<Own extends FlagRows> = Flags & ValuesOf<Own>;

/** Whether standard input is read as a list of files or filters (`--files-from -`). */
export function readsInput(flags: Flags): boolean {
  return Object.values(flags).some((value) => Array.isArray(value) && value.includes('-'));
}
