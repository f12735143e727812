import type { FlagDefinition } from './flag-definition.ts';

/** The levels `--log-level` and `--stats-log-level` take, loudest first. */
const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** Flags about what is told of a run while it goes on. */
export const LOGGING_FLAGS = {
  help: {
    short: 'h',
    type: 'bool',
    help: 'Show help for the command',
    group: 'main',
  },
  version: {
    short: 'V',
    type: 'bool',
    help: 'Print the version',
    group: 'main',
  },
  progress: {
    short: 'P',
    type: 'bool',
    help: 'Show progress while transferring',
    group: 'main',
  },
  'no-history': {
    type: 'bool',
    help: 'Do not note the run among the last runs that the home screen shows',
    group: 'logging',
  },
  'progress-terminal-title': {
    type: 'bool',
    help: 'Show in the title of the terminal how long it will take (with -P)',
    group: 'logging',
  },
  verbose: {
    short: 'v',
    type: 'count',
    help: 'Tell what is done; twice (-vv) tells everything',
    group: 'logging',
  },
  quiet: {
    short: 'q',
    type: 'bool',
    help: 'Tell errors only',
    group: 'logging',
  },
  'log-level': {
    type: 'string',
    values: LOG_LEVELS,
    default: 'notice',
    help: 'What is told',
    group: 'logging',
  },
  'log-file': {
    type: 'string',
    placeholder: 'file',
    help: 'Append the log to this file instead of standard error',
    group: 'logging',
  },
  'log-format': {
    type: 'string',
    placeholder: 'list',
    default: 'date,time',
    help: 'What lines of the log begin with: date,time,microseconds,UTC,pid',
    group: 'logging',
  },
  'log-systemd': {
    type: 'bool',
    help: "Begin lines of the log with systemd's priorities instead",
    group: 'logging',
  },
  'use-json-log': {
    type: 'bool',
    help: 'Write each line of the log as a JSON object',
    group: 'logging',
  },
  stats: {
    type: 'duration',
    default: 60_000,
    help: 'Time between two statistics in the log (0 for none)',
    group: 'logging',
  },
  'stats-log-level': {
    type: 'string',
    values: LOG_LEVELS,
    default: 'info',
    help: 'Level of the statistics in the log',
    group: 'logging',
  },
  'stats-one-line': {
    type: 'bool',
    help: 'Statistics on one line',
    group: 'logging',
  },
  'stats-one-line-date': {
    type: 'bool',
    help: 'Statistics on one line that begins with date and time',
    group: 'logging',
  },
  'stats-one-line-date-format': {
    type: 'string',
    placeholder: 'layout',
    help: "As --stats-one-line-date with a layout of your own, as Go writes it: '2006-01-02 15:04:05 '",
    group: 'logging',
  },
  'stats-unit': {
    type: 'string',
    values: ['bytes', 'bits'],
    default: 'bytes',
    help: 'Unit of speeds in statistics',
    group: 'logging',
  },
  'stats-file-name-length': {
    type: 'int',
    default: 45,
    help: 'Names in statistics are shortened to this many characters (0 for no limit)',
    group: 'logging',
  },
  dump: {
    type: 'string',
    placeholder: 'list',
    help: 'Show things on the way: headers,bodies,requests,responses,auth,filters,goroutines,openfiles',
    group: 'logging',
  },
  'dump-headers': {
    type: 'bool',
    help: 'As --dump headers',
    group: 'logging',
  },
  'dump-bodies': {
    type: 'bool',
    help: 'As --dump bodies',
    group: 'logging',
  },
  color: {
    type: 'string',
    values: ['auto', 'always', 'never'],
    default: 'auto',
    help: 'When to use colours',
    group: 'logging',
  },
} as const satisfies Record<string, FlagDefinition>;
