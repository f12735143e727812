import { commandFlags } from './flag-definition.ts';

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
    report: {
      type: 'list',
      placeholder: 'path',
      help: 'Write a report of the run to this file, local or remote: FILE.html, or JSON (may be given several times)',
    },
    'ping-url': {
      type: 'string',
      placeholder: 'url',
      help: 'Ping a service such as healthchecks.io when the run starts and ends',
    },
    'on-success': {
      type: 'string',
      placeholder: 'command',
      help: 'Run this shell command after a run that succeeded; it reads the report',
    },
    'on-failure': {
      type: 'string',
      placeholder: 'command',
      help: 'Run this shell command after a run that failed or was stopped; it reads the report',
    },
    'on-change': {
      type: 'string',
      placeholder: 'command',
      help: 'Run this shell command after a run that changed something; it reads the report',
    },
    'quiet-unless': {
      type: 'string',
      values: ['error', 'change'],
      placeholder: 'what',
      help: 'Log to standard error only if the run fails (error), or also if it changes something (change)',
    },
  },
);
