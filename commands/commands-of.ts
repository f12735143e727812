import type { Command, CommandSummary } from '../src/app/command.ts';

type Usage = Omit<CommandSummary, 'name' | 'load'>;

/** How the commands of a file are used, by name: `ls` is its export `lsCommand`. */
type Usages<File> = Partial<
  Record<
    { [Key in keyof File]: Key extends `${infer Name}Command` ? Name : never }[keyof File],
    Usage
  >
>;

/** The commands of one file, which is loaded when one of them runs. */
export function commandsOf<File extends object>(
  load: () => Promise<File>,
  usages: Usages<File>,
): readonly CommandSummary[] {
  return Object.entries<Usage>(usages as Record<string, Usage>).map(([name, usage]) => ({
    name,
    ...usage,
    load: async () => (await load())[`${name}Command` as keyof File] as Command,
  }));
}
