import type { CommandSummary, CommandUsage } from './command.ts';

/** The subcommands of a command, each under its whole name: `config create`. */
export function subcommandsOf(command: CommandSummary): readonly CommandUsage[] {
  return (command.subcommands ?? []).map((one) => ({
    ...one,
    name: `${command.name} ${one.name}`,
  }));
}

/** Every command and subcommand; a subcommand under its whole name, right behind its command. */
export function allUsages(commands: readonly CommandSummary[]): readonly CommandUsage[] {
  return commands.flatMap((command) => [command, ...subcommandsOf(command)]);
}

/** How the command that these words name is used: the subcommand where there is one of that name. */
export function usageOf(command: CommandSummary, [word]: readonly string[]): CommandUsage {
  return subcommandsOf(command).find(({ name }) => name === `${command.name} ${word}`) ?? command;
}
