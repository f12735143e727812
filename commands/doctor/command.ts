import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

/** The command `doctor`. */
export const DOCTOR_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./run-doctor.ts'),
  {
    doctor: {
      noun: true,
      usage: '[remote:path…]',
      args: [0, Number.POSITIVE_INFINITY],
      summary: 'Check the program, its directories, mounts and remotes, and say how to fix them',
      description: `
Without arguments, checks everything that needs no request. For each remote, also checks the connection, the
certificate, the clock and the login, lists it, and reports what its service does with files.

Only reads, except with --write and --fix. Fails if a check failed.`,
    },
  },
);
