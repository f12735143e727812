import {
  type CommandSummary,
  type CommandUsage,
  subcommandsOf,
} from '../../src/shell/command-line/command.ts';

/** A file of the documentation. */
export interface DocPage {
  /** Its path below the output directory. */
  readonly path: string;
  readonly text: string;
}

/** A command with its relatives. */
export interface Subject {
  readonly usage: CommandUsage;
  /** The command that it is a subcommand of. */
  readonly parent: CommandUsage | undefined;
  readonly children: readonly CommandUsage[];
}

/** Every visible command and subcommand. */
export function subjects(commands: readonly CommandSummary[]): readonly Subject[] {
  const shown = commands.filter(({ hidden }) => hidden !== true);
  return shown.flatMap((command): Subject[] => {
    const children = subcommandsOf(command);
    return [
      { usage: command, parent: undefined, children },
      ...children.map((usage) => ({ usage, parent: command, children: [] })),
    ];
  });
}
