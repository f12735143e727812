import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `ncdu`. */
export const NCDU_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./ncdu.ts'), {
  ncdu: usage('[remote:path] [remote:path]', 'Browse disk usage; delete, copy and move files', {
    changes: true,
    noun: true,
    description: `
The browser opens immediately and fills while the path is scanned; ? shows its keys. Two paths are shown side by side;
Tab goes from one to the other, and p and P copy and move across. It asks before deleting anything;
with --dry-run or --read-only it deletes nothing. With --output, writes the scan to a file in ncdu's JSON format instead,
which --import, ncdu and gdu can open. Scans are saved: the last one of a path is shown until it is scanned again, and
--diff shows what has changed since one; with --output, as lines of text.`,
  }),
});
