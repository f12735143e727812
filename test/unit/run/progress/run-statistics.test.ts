import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import {
  progressJson,
  startStatistics,
  statisticsSettings,
} from '../../../../src/run/progress/run-statistics.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import type { LogRecord } from '../../../../src/shell/log/log-record.ts';
import type { RunLog } from '../../../../src/shell/log/run-log.ts';
import {
  addError,
  applyEvent,
  ProgressState,
} from '../../../../src/shell/progress/progress-state.ts';
import { fakedClock } from '../../../support/manual-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function settingsOf(words: readonly string[], showsStats: boolean, onTerminal = false) {
  const vocabulary = { commands: COMMANDS, backendFlags: [], env: {}, nowMs: 0 };
  const { flags, given } = parseCommandLine(['ls', ...words], vocabulary);
  return statisticsSettings(flags, given, showsStats, onTerminal);
}

function start(words: readonly string[], showsStats = true) {
  const records: LogRecord[] = [];
  const log: RunLog = {
    toFile: false,
    shows: () => true,
    write: (record) => void records.push(record),
    hide: (text) => text,
    close: () => {},
  };
  const state = new ProgressState(fakedClock.monotonic());
  const finish = startStatistics(
    state,
    fakedClock,
    settingsOf(words, showsStats),
    log,
    undefined,
    () => false,
  );
  return { records, state, finish };
}

test.each<[string[], boolean, boolean, string | undefined]>([
  [[], true, false, 'info'],
  [[], false, false, undefined],
  [['--stats', '5s'], false, false, 'info'],
  [['-P'], false, false, 'notice'],
  [['-P'], false, true, undefined],
  [['-P'], true, true, 'info'],
  [['-n'], true, false, 'notice'],
  [['-n'], false, false, undefined],
  [['-n', '--stats-log-level', 'error'], true, false, 'error'],
  [['-n', '--stats-log-level', 'debug'], true, false, 'notice'],
  [['-i'], true, false, 'notice'],
  [['-P', '--stats-log-level', 'debug'], true, false, 'debug'],
  [['--stats-log-level', 'CRITICAL'], true, false, 'error'],
])(
  '%j of a command that shows statistics (%s), on a terminal (%s): %s',
  (words, shows, tty, level) => {
    expect(settingsOf(words, shows, tty).level).toBe(level);
  },
);

test('a secret in places and in the last error is hidden in the statistics', () => {
  const state = new ProgressState(0);
  state.sides = { source: ':s3,key=SECRET:a', dest: ':s3,key=SECRET:b' };
  applyEvent(state, { type: 'transfer-start', id: 1, kind: 'copy', path: 'f', size: 10 });
  addError(state, new SyncerError('network', 'the server said SECRET'));
  const stats = progressJson(state, 1, (text) => text.replaceAll('SECRET', '***'));
  expect(stats).toMatchObject({
    transferring: [{ srcFs: ':s3,key=***:a', dstFs: ':s3,key=***:b' }],
    lastError: 'the server said ***',
  });
  expect(JSON.stringify(stats)).not.toContain('SECRET');
});

test("the statistics count the retries that succeeded, and have rclone's fields alone without any", () => {
  const state = new ProgressState(0);
  expect(progressJson(state, 1, String)).not.toHaveProperty('retriesSucceeded');
  const fields = { what: 'list bucket b', attempt: 2, of: 10 };
  const success = { type: 'log', level: 'info', code: 'retry-succeeded', fields } as const;
  applyEvent(state, success);
  applyEvent(state, { ...success, path: 'f' });
  expect(progressJson(state, 1, String)).toMatchObject({ retriesSucceeded: 2 });
});

test('of a run that only others work on there are none', () => {
  const { flags } = parseCommandLine(['ls'], {
    commands: COMMANDS,
    backendFlags: [],
    env: {},
    nowMs: 0,
  });
  const given = new Set(['stats']);
  const queue = 'redis://host';
  const levelOf = (more: Partial<typeof flags>, shows: true | 'never') =>
    statisticsSettings({ ...flags, ...more }, given, shows, false).level;
  expect(levelOf({ queue }, true)).toBe('info');
  expect(levelOf({ queue, 'no-work': true }, true)).toBeUndefined();
  expect(levelOf({ queue, detach: true }, true)).toBeUndefined();
  expect(levelOf({}, 'never')).toBeUndefined();
});

test('a refusal before anything has begun logs none', () => {
  const refusal = new SyncerError('usage', 'refused');
  const refused = start([]);
  addError(refused.state, refusal);
  refused.finish(refusal);
  expect(refused.records).toEqual([]);
  const later = start([]);
  later.state.listed = 3;
  later.finish(refusal);
  expect(later.records).toHaveLength(1);
});

test.each<[string[], RegExp]>([
  [
    ['--stats-one-line-date'],
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d - {11}0 B \/ 0 B, -, 0 B\/s, ETA -\n$/,
  ],
  [['--stats-one-line-date-format', '[2006] '], /^\[\d{4}\] {11}0 B \/ 0 B/],
  [['--stats-one-line'], /^ {10}0 B \/ 0 B/],
  [['--stats-one-line', '--stats-unit', 'bits'], / 0 bit\/s, ETA -\n$/],
])('%j: one line', (words, expected) => {
  const { records, finish } = start(words);
  finish();
  expect(records.map(({ message }) => message)).toEqual([expect.stringMatching(expected)]);
});

test('statistics are logged at every interval and at the end', () => {
  const { records, finish } = start(['--stats', '10s']);
  vi.advanceTimersByTime(25_000);
  expect(records).toHaveLength(2);
  finish();
  expect(records).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  expect(records).toHaveLength(3);
  expect(records[0]).toMatchObject({ level: 'info', fields: { stats: { elapsedTime: 10 } } });
  expect(records[0]?.message).toBe(
    '\nTransferred:   \t          0 B / 0 B, -, 0 B/s, ETA -\nElapsed time:        10.0s\n\n',
  );
});

test('the last statistics are of a run that has ended', () => {
  const { records, state, finish } = start(['--stats', '1s', '--stats-one-line']);
  Object.assign(state, { bytes: 10, queuedBytes: 90 });
  vi.advanceTimersByTime(1000);
  finish();
  const etas = records.map(({ message }) => message.trim().split(', ').at(-1));
  expect(etas).toEqual(['ETA 9s', 'ETA -']);
});

test('an interval of 0 ends them, but for a run with errors', () => {
  const quiet = start(['--stats', '0']);
  vi.advanceTimersByTime(600_000);
  quiet.finish();
  expect(quiet.records).toHaveLength(0);
  const failed = start(['--stats', '0']);
  failed.state.errors = 1;
  failed.finish();
  expect(failed.records).toHaveLength(1);
});

test('on one line', () => {
  const { records, finish } = start(['--stats-one-line']);
  finish();
  expect(records[0]?.message).toBe('          0 B / 0 B, -, 0 B/s, ETA -\n');
});

test('speeds are kept while it runs', () => {
  const { state } = start([]);
  state.bytes = 5000;
  vi.advanceTimersByTime(1000);
  expect(state.rate).toBe(5000);
});
