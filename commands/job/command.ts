import { bool, commandFlags, text } from '../../src/core/flags.ts';
import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const JOB_FLAGS = commandFlags(['job'], {
  schedule: text('When the timer of --print-unit runs the job, as in systemd.time(7)', {
    default: 'daily',
  }),
  'delete-job': bool('Delete the job; its files stay', { name: 'delete' }),
  'replace-job': bool('Replace a job of the same name', { name: 'replace' }),
});

export const SAVED_JOB_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'run',
    usage: 'job',
    summary: 'Run a saved job',
    description: `
Runs the command line that was saved under this name with syncer job; flags given here are added to it, and win over
those of the job. With --check, compares the two paths of the job instead; with --review, shows its plan first.`,
    examples: `
syncer run documents -P  # Run the job "documents" with progress
syncer run documents --check  # Compare its two paths`,
    see: ['job'],
    expand: async ({ args: [name = ''], flags, flagWords }, io) => {
      const { findJob } = await import('../../src/shell/job-file.ts');
      const job = await findJob(name, flags, io.env);
      const { runWords } = await import('./job-words.ts');
      return runWords(job, flagWords, io, flags['check-job']);
    },
  },
  ...commandsOf(() => import('./jobs.ts'), JOB_FLAGS, {
    job: usage('[job [-- command…]]', 'Save a command line as a job, list jobs, or show one', {
      noun: true,
      args: [0, 10_000],
      description: `
A job is a name for a copy, sync, move, check, delete or cleanup with its paths and flags. syncer run runs it, from a
shell, cron or the home screen. Local paths are saved as absolute paths. Jobs are in jobs.json beside the configuration
file.

--print-unit prints a systemd service and a timer that runs the job.`,
      examples: `
syncer job documents -- sync ~/Documents shelf:documents --exclude '*.tmp'  # Save a job
syncer job documents --print-unit --schedule hourly  # Print a systemd service and timer`,
      see: ['run'],
    }),
  }),
];
