import { bool, count, duration, groupFlags, int, size, text } from '../../core/flags.ts';

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
    help: bool('Show help for a command', { short: 'h' }),
    version: bool('Print the version', { short: 'V' }),
    progress: bool('Show progress while transferring', { short: 'P' }),
  }),
  ...groupFlags('logging', {
    'no-history': bool('Do not record this run or its changes: it cannot be undone'),
    'no-mouse': bool('Do not use the mouse on screens; the terminal selects text with it'),
    'progress-terminal-title': bool('Show the ETA in the terminal title (with -P)'),
    'progress-terminal-notify': bool(
      "Show progress in the terminal's tab and notify at the end of long runs, if it can (with -P)",
      { default: true },
    ),
    verbose: count('Log each action; -vv logs debug messages too', { short: 'v' }),
    quiet: bool('Log errors only', { short: 'q' }),
    'log-level': text(
      'Log level: debug, info, notice, warning, error, critical, alert, emergency or off',
      { values: [...LOG_LEVELS, 'off'], placeholder: 'level', default: 'notice' },
    ),
    'log-file': text('Log to this file instead of standard error', 'file'),
    'log-format': text('Form of log lines: date,time,microseconds,UTC,pid,nolevel,json', {
      placeholder: 'list',
      default: 'date,time',
    }),
    'log-file-max-size': size(
      'Rename the log file before it exceeds this size (at least 1Mi), and start a new one',
      { defaultText: 'off' },
    ),
    'log-file-max-backups': int('Keep only this many old log files (with --log-file-max-size)', {
      default: 0,
      defaultText: 'all',
    }),
    'log-file-max-age': duration(
      'Delete old log files older than this (with --log-file-max-size)',
      { default: 0, defaultText: 'any' },
    ),
    'log-file-compress': bool('Compress old log files with gzip (with --log-file-max-size)'),
    'log-systemd': bool('Prefix log lines with systemd priorities instead'),
    'use-json-log': bool('Write each log line as a JSON object'),
    stats: duration('Interval between statistics in the log (0 for none)', { default: 60_000 }),
    'stats-log-level': text('Log level of statistics', {
      values: LOG_LEVELS,
      placeholder: 'level',
      default: 'info',
    }),
    'stats-one-line': bool('Print statistics on one line'),
    'stats-one-line-date': bool('Print statistics on one line with date and time'),
    'stats-one-line-date-format': text(
      "Like --stats-one-line-date with a Go time layout: '2006-01-02 15:04:05 '",
      'layout',
    ),
    'stats-unit': text('Unit of speeds in statistics', {
      values: ['bytes', 'bits'],
      default: 'bytes',
    }),
    'stats-file-name-length': int('Maximum length of file names in statistics (0 for no limit)', {
      default: 45,
    }),
    dump: text(
      'Dump HTTP traffic and internals: headers,bodies,requests,responses,auth,curl,errors,trace,filters,goroutines,openfiles,layers',
      'list',
    ),
    'dump-headers': bool('Same as --dump headers'),
    'dump-bodies': bool('Same as --dump bodies'),
    color: text('When to use colours', { values: ['auto', 'always', 'never'], default: 'auto' }),
  }),
};
