import type { CommandSummary } from '../../src/shell/command-line/command.ts';

export const APPLY_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'apply',
    usage: 'plan.json',
    summary: 'Make exactly the changes of a plan saved with --save',
    description: `
Runs the command of the plan again, and applies only changes of the plan whose files are unchanged since: size, time and
ETag of both sides. Everything else is skipped and listed. With --review, shows the plan, or prints it if there is no
terminal; with --dry-run, compares and changes nothing. Both print the command of the plan. Flags given here win over
those of the plan, which may only hold flags that decide about files.`,
    exits: { 22: 'Changes were skipped because files changed after the plan was made' },
    expand: async ({ args: [path = ''], flagWords }, io) => {
      const { applyWords } = await import('../../src/run/review/saved-plan.ts');
      return applyWords(path, flagWords, io);
    },
    examples: `
syncer apply plan.json --review  # Print a saved plan
syncer apply plan.json -P  # Make its changes, with progress`,
    see: ['sync', 'copy'],
  },
];
