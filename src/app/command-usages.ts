import type { CommandSummary, CommandUsage } from './command.ts';

/** The subcommands of a command, by their full names: `config create`. */
export function subcommandsOf(command: CommandSummary): readonly CommandUsage[] {
  return (command.subcommands ?? []).map((one) => ({
    ...one,
    name: `${command.name} ${one.name}`,
  }));
}

/** All commands, each followed by its subcommands under their full names. */
export function allUsages(commands: readonly CommandSummary[]): readonly CommandUsage[] {
  return commands.flatMap((command) => [command, ...subcommandsOf(command)]);
}

/** The usage of the subcommand that the first word names, or else of the command. */
export function usageOf(command: CommandSummary, [word]: readonly string[]): CommandUsage {
  return subcommandsOf(command).find(({ name }) => name === `${command.name} ${word}`) ?? command;
}

/** `syncer copy source:path dest:path [flags]`. */
export function usageLine({ name, usage }: CommandUsage): string {
  return ['syncer', name, usage, '[flags]'].filter((part) => part !== '').join(' ');
}
