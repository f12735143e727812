import type { CommandSummary } from '../../src/shell/command-line/command.ts';

export const COMPLETE_COMMANDS: readonly CommandSummary[] = [
  {
    name: '__complete',
    usage: 'form [word]…',
    args: [1, 10_000],
    summary: 'Print completions of a command line',
    hidden: true,
    load: async () => (await import('./complete.ts')).completeCommand,
  },
];
