import type { CommandSummary, CommandUsage } from '../command.ts';
import { subcommandsOf } from '../command-paths.ts';

/** A file of the documentation. */
export interface DocPage {
  /** Its path below the folder that was named. */
  readonly path: string;
  readonly text: string;
}

/** A command as a page is about it. */
export interface Subject {
  readonly usage: CommandUsage;
  /** Whole name of the command it belongs to; `undefined` for one that stands directly below the program. */
  readonly parent: CommandUsage | undefined;
  readonly children: readonly CommandUsage[];
}

/** Every command that is shown, with what is above and below it. */
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
