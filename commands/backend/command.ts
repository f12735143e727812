import { commandFlags, list } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const BACKEND_FLAGS = commandFlags(['backend'], {
  option: list('Option of the command', { short: 'o', placeholder: 'name=value' }),
});

export const BACKEND_COMMANDS = commandsOf(() => import('./backend.ts'), BACKEND_FLAGS, {
  backend: usage('command remote:path [argument…]', 'Run a command that only one backend has', {
    args: [2, 10_000],
    transfersNothing: true,
    description: `
syncer backend help remote: lists the commands of a backend: on S3 restore and restore-status for archived objects,
versioning, cleanup-hidden, cleanup, list-multipart-uploads, and probe, which tries whether uploads can send only the
changed parts of large files. Options are given by -o name=value. Results are JSON.
syncer backend features remote: prints what a remote supports.`,
    examples: `
syncer backend restore shelf:archive -o priority=Standard -o lifetime=7  # Restore archived objects for a week
syncer backend versioning shelf:photos Enabled  # Keep old versions`,
    see: ['cleanup'],
  }),
});
