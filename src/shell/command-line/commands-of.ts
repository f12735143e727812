import type { FlagRows } from '../../core/flags.ts';
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

/** How the commands of a file are used, by name: `ls` is its export `lsCommand`. */
type Usages<File> = Partial<
  Record<
    { [Key in keyof File]: Key extends `${infer Name}Command` ? Name : never }[keyof File],
    Usage
  >
>;

/** The commands of one file, which is loaded when one of them runs, with the flags of their capability if it has some. */
export function commandsOf<File extends object>(
  load: () => Promise<File>,
  ...[first, second]: [usages: Usages<File>] | [flags: FlagRows, usages: Usages<File>]
): readonly CommandSummary[] {
  const flags = second === undefined ? {} : (first as FlagRows);
  const usages = (second ?? first) as Record<string, Usage>;
  return Object.entries(usages).map(([name, usage]) => ({
    name,
    flags,
    ...usage,
    load: async () => (await load())[`${name}Command` as keyof File] as Command,
  }));
}
