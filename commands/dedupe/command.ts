import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `dedupe`. */
export const DEDUPE_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./dedupe.ts'), {
  dedupe: usage('[mode] remote:path', 'Find duplicate files and delete all but one', {
    changes: true,
    transfersNothing: true,
    description: `
With --by-hash finds files with the same content, whatever their names. The mode says what to do with them:
interactive asks, list prints them, skip keeps them all; first, newest, oldest, largest and smallest choose the one to
keep. Without --by-hash looks for files with the same name, which no backend of syncer allows.`,
  }),
});
