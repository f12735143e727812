import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const SETTIER_COMMANDS = commandsOf(() => import('./settier.ts'), {
  settier: usage('tier remote:path', 'Move files to another storage class', {
    transfersNothing: true,
    description: `
The tier is a name of the provider, such as STANDARD_IA or GLACIER. Filters select files in a directory.`,
    examples: `
syncer settier GLACIER shelf:archive  # Move all files of a directory
syncer settier STANDARD_IA shelf:logs --min-age 30d  # Move older files`,
    see: ['filters'],
  }),
});
