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
    help: 'Show help for a command',
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
    help: 'Do not record this run in the history on the home screen',
    group: 'logging',
  },
  'progress-terminal-title': {
    type: 'bool',
    help: 'Show the ETA in the terminal title (with -P)',
    group: 'logging',
  },
  verbose: {
    short: 'v',
    type: 'count',
    help: 'Log each action; -vv logs debug messages too',
    group: 'logging',
  },
  quiet: {
    short: 'q',
    type: 'bool',
    help: 'Log errors only',
    group: 'logging',
  },
  'log-level': {
    type: 'string',
    values: LOG_LEVELS,
    default: 'notice',
    help: 'Log level',
    group: 'logging',
  },
  'log-file': {
    type: 'string',
    placeholder: 'file',
    help: 'Log to this file instead of standard error',
    group: 'logging',
  },
  'log-format': {
    type: 'string',
    placeholder: 'list',
    default: 'date,time',
    help: 'Prefix of log lines: date,time,microseconds,UTC,pid',
    group: 'logging',
  },
  'log-systemd': {
    type: 'bool',
    help: 'Prefix log lines with systemd priorities instead',
    group: 'logging',
  },
  'use-json-log': {
    type: 'bool',
    help: 'Write each log line as a JSON object',
    group: 'logging',
  },
  stats: {
    type: 'duration',
    default: 60_000,
    help: 'Interval between statistics in the log (0 for none)',
    group: 'logging',
  },
  'stats-log-level': {
    type: 'string',
    values: LOG_LEVELS,
    default: 'info',
    help: 'Log level of statistics',
    group: 'logging',
  },
  'stats-one-line': {
    type: 'bool',
    help: 'Print statistics on one line',
    group: 'logging',
  },
  'stats-one-line-date': {
    type: 'bool',
    help: 'Print statistics on one line with date and time',
    group: 'logging',
  },
  'stats-one-line-date-format': {
    type: 'string',
    placeholder: 'layout',
    help: "Like --stats-one-line-date with a Go time layout: '2006-01-02 15:04:05 '",
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
    help: 'Maximum length of file names in statistics (0 for no limit)',
    group: 'logging',
  },
  dump: {
    type: 'string',
    placeholder: 'list',
    help: 'Dump HTTP traffic and internals: headers,bodies,requests,responses,auth,filters,goroutines,openfiles',
    group: 'logging',
  },
  'dump-headers': {
    type: 'bool',
    help: 'Same as --dump headers',
    group: 'logging',
  },
  'dump-bodies': {
    type: 'bool',
    help: 'Same as --dump bodies',
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
