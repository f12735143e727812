import { commandFlags, list, text } from '../../core/flags.ts';

/** Flags for what follows a run: reports, pings and commands. */
export const REPORT_FLAGS = commandFlags(
  [
    ...([
      'copy',
      'sync',
      'move',
      'copyto',
      'moveto',
      'convmv',
      'bisync',
      'check',
      'scrub',
    ] as const),
    ...(['delete', 'purge', 'apply', 'run'] as const),
  ],
  {
    report: list('Write a report of the run to this file, local or remote: FILE.html, or JSON', {
      placeholder: 'path',
    }),
    'ping-url': text('Ping a service such as healthchecks.io when the run starts and ends', {
      placeholder: 'url',
    }),
    'on-success': text('Run this shell command after a run that succeeded; it reads the report', {
      placeholder: 'command',
    }),
    'on-failure': text(
      'Run this shell command after a run that failed or was stopped; it reads the report',
      { placeholder: 'command' },
    ),
    'on-change': text(
      'Run this shell command after a run that changed something; it reads the report',
      { placeholder: 'command' },
    ),
    'quiet-unless': text(
      'Log to standard error only if the run fails (error), or also if it changes something (change)',
      { values: ['error', 'change'], placeholder: 'what' },
    ),
  },
);
