import type { FlagRows } from '../../core/flags.ts';
import type { NoFlags } from '../flags/flag-table.ts';
import type { Command, CommandSummary, CommandUsage } from './command.ts';

type Usage = Omit<CommandSummary, 'name' | 'load'>;

/** How a command is used: the words of its usage line, its line in the list, and what else it has. */
export function usage(words: string, summary: string, more?: Partial<Usage>): Usage {
  return { usage: words, summary, ...more };
}

/** The same of a subcommand, by its own word. */
export function subcommand(
  name: string,
  words: string,
  summary: string,
  more?: Partial<CommandUsage>,
): CommandUsage {
  return { name, usage: words, summary, ...more };
}

/** Loads a file of commands: of `ls`, its export `lsCommand`. */
type Load<Name extends string, Own extends FlagRows> = () => Promise<
  NoInfer<Readonly<Record<`${Name}Command`, Command<Own>>>>
>;

/** The commands of one file, which is loaded when one of them runs, with the flags of their capability if it has some. */
export function commandsOf<Name extends string>(
  load: Load<Name, NoFlags>,
  usages: Readonly<Record<Name, Usage>>,
): readonly CommandSummary[];
export function commandsOf<Name extends string, Own extends FlagRows>(
  load: Load<Name, Own>,
  flags: Own,
  usages: Readonly<Record<Name, Usage>>,
): readonly CommandSummary[];
export function commandsOf<Name extends string>(
  load: () => Promise<object>,
  first: FlagRows | Readonly<Record<Name, Usage>>,
  second?: Readonly<Record<Name, Usage>>,
): readonly CommandSummary[] {
  const flags = second === undefined ? {} : (first as FlagRows);
  const usages = (second ?? first) as Record<string, Usage>;
  return Object.entries(usages).map(([name, usage]) => ({
    name,
    flags,
    ...usage,
    load: async () => ((await load()) as Record<string, Command>)[`${name}Command`] as Command,
  }));
}
