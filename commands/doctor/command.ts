import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const DOCTOR_FLAGS = commandFlags(['doctor'], {
  'doctor-write': bool('Also write, read and delete a file on each remote', { name: 'write' }),
  'doctor-fix': bool(
    'Fix modes of files and directories, and delete leftovers of ended processes',
    { name: 'fix' },
  ),
  'doctor-queue': text(
    'Also check the queue of runs on many machines, redis://, rediss:// or unix:',
    { name: 'queue', placeholder: 'url' },
  ),
  'doctor-online': bool('Also look for a newer version', { name: 'online' }),
});

export const DOCTOR_COMMANDS = commandsOf(() => import('./run-doctor.ts'), DOCTOR_FLAGS, {
  doctor: {
    noun: true,
    usage: '[remote:path…]',
    args: [0, Number.POSITIVE_INFINITY],
    summary: 'Check the program, its directories, mounts and remotes, and say how to fix them',
    description: `
Without arguments, checks everything that needs no request. For each remote, also checks the connection, the
certificate, the clock and the login, lists it, and reports how its service treats files.

Only reads, except with --write and --fix.`,
    exits: { 1: 'A check failed' },
    examples: `
syncer doctor  # Check the program, its directories, mounts and the configuration
syncer doctor photos:holidays --write  # Also check a remote, by writing to it`,
    see: ['config', 'about', 'mounts'],
  },
});
