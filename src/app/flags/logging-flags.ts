import { groupFlags } from './flag-definition.ts';

/** The levels of `--log-level` and `--stats-log-level`, most verbose first. */
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

/** Flags for logs, statistics and progress. */
export const LOGGING_FLAGS = {
  ...groupFlags('main', {
    help: { short: 'h', type: 'bool', help: 'Show help for a command' },
    version: { short: 'V', type: 'bool', help: 'Print the version' },
    progress: { short: 'P', type: 'bool', help: 'Show progress while transferring' },
  }),
  ...groupFlags('logging', {
    'no-history': {
      type: 'bool',
      help: 'Do not record this run or its changes: it cannot be undone',
    },
    'no-mouse': {
      type: 'bool',
      help: 'Do not use the mouse on screens; the terminal selects text with it',
    },
    'progress-terminal-title': {
      type: 'bool',
      help: 'Show the ETA in the terminal title (with -P)',
    },
    'progress-terminal-notify': {
      type: 'bool',
      default: true,
      help: "Show progress in the terminal's tab and notify at the end of long runs, if it can (with -P)",
    },
    verbose: { short: 'v', type: 'count', help: 'Log each action; -vv logs debug messages too' },
    quiet: { short: 'q', type: 'bool', help: 'Log errors only' },
    'log-level': {
      type: 'string',
      values: [...LOG_LEVELS, 'off'],
      placeholder: 'level',
      default: 'notice',
      help: 'Log level: debug, info, notice, warning, error, critical, alert, emergency or off',
    },
    'log-file': {
      type: 'string',
      placeholder: 'file',
      help: 'Log to this file instead of standard error',
    },
    'log-format': {
      type: 'string',
      placeholder: 'list',
      default: 'date,time',
      help: 'Form of log lines: date,time,microseconds,UTC,pid,nolevel,json',
    },
    'log-file-max-size': {
      type: 'size',
      defaultText: 'off',
      help: 'Rename the log file before it exceeds this size (at least 1Mi), and begin another one',
    },
    'log-file-max-backups': {
      type: 'int',
      default: 0,
      defaultText: 'all',
      help: 'Keep only this many old log files (with --log-file-max-size)',
    },
    'log-file-max-age': {
      type: 'duration',
      default: 0,
      defaultText: 'any',
      help: 'Delete old log files older than this (with --log-file-max-size)',
    },
    'log-file-compress': {
      type: 'bool',
      help: 'Compress old log files with gzip (with --log-file-max-size)',
    },
    'log-systemd': { type: 'bool', help: 'Prefix log lines with systemd priorities instead' },
    'use-json-log': { type: 'bool', help: 'Write each log line as a JSON object' },
    stats: {
      type: 'duration',
      default: 60_000,
      help: 'Interval between statistics in the log (0 for none)',
    },
    'stats-log-level': {
      type: 'string',
      values: LOG_LEVELS,
      placeholder: 'level',
      default: 'info',
      help: 'Log level of statistics',
    },
    'stats-one-line': { type: 'bool', help: 'Print statistics on one line' },
    'stats-one-line-date': {
      type: 'bool',
      help: 'Print statistics on one line with date and time',
    },
    'stats-one-line-date-format': {
      type: 'string',
      placeholder: 'layout',
      help: "Like --stats-one-line-date with a Go time layout: '2006-01-02 15:04:05 '",
    },
    'stats-unit': {
      type: 'string',
      values: ['bytes', 'bits'],
      default: 'bytes',
      help: 'Unit of speeds in statistics',
    },
    'stats-file-name-length': {
      type: 'int',
      default: 45,
      help: 'Maximum length of file names in statistics (0 for no limit)',
    },
    dump: {
      type: 'string',
      placeholder: 'list',
      help: 'Dump HTTP traffic and internals: headers,bodies,requests,responses,auth,curl,errors,trace,filters,goroutines,openfiles',
    },
    'dump-headers': { type: 'bool', help: 'Same as --dump headers' },
    'dump-bodies': { type: 'bool', help: 'Same as --dump bodies' },
    color: {
      type: 'string',
      values: ['auto', 'always', 'never'],
      default: 'auto',
      help: 'When to use colours',
    },
  }),
};
