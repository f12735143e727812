import { commandsOf, subcommand, usage } from '../../src/shell/command-line/commands-of.ts';

const EXAMPLES = {
  examples: `
syncer guard init /mnt/photos  # Mark a directory; --guard marker of sync looks for it
syncer guard init shelf:photos  # Mark a directory of a remote`,
  see: ['sync'],
};

export const GUARD_COMMANDS = commandsOf(() => import('./guard.ts'), {
  guard: usage('', 'Create markers that protect sync from empty mounts', {
    noun: true,
    subcommands: [
      subcommand('init', 'remote:path', 'Create a marker for --guard marker', {
        description: `
Writes the file .syncer-guard with a random value to the directory, and remembers the value. A sync from this directory
with --guard marker changes nothing if the file is missing, as it is if the disk is not mounted, or has another value,
as on another disk. If the file exists, only remembers its value. No command lists, copies or deletes it, except purge
of the directory.`,
        ...EXAMPLES,
      }),
    ],
    ...EXAMPLES,
  }),
});
