import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import {
  causesOf,
  formatJsonRecord,
  formatTextRecord,
  type LogRecord,
  logPrefix,
  readLogFormat,
} from '../../../../src/shell/log/log-record.ts';

beforeEach(() => vi.stubEnv('TZ', 'UTC'));
afterEach(() => vi.unstubAllEnvs());

const prefix = logPrefix({ format: readLogFormat('date,time'), systemd: false, pid: 7 });
const at = { timeMs: Date.parse('2026-11-20T09:05:07.123Z') };
const text = (record: Omit<LogRecord, 'timeMs'>, causes: readonly string[] = []) =>
  formatTextRecord({ ...at, ...record }, causes, prefix);

test('a line has time, level, path and message, as in rclone', () => {
  const lines = (['error', 'notice', 'info', 'debug'] as const).map((level) =>
    text({ level, path: 'd/a', message: 'Copied (new)' }),
  );
  expect(lines).toEqual([
    '2026/11/20 09:05:07 ERROR : d/a: Copied (new)\n',
    '2026/11/20 09:05:07 NOTICE: d/a: Copied (new)\n',
    '2026/11/20 09:05:07 INFO  : d/a: Copied (new)\n',
    '2026/11/20 09:05:07 DEBUG : d/a: Copied (new)\n',
  ]);
  expect(text({ level: 'info', message: 'x' })).toBe('2026/11/20 09:05:07 INFO  : x\n');
});

test('a name cannot begin a line of its own', () => {
  const line = text({ level: 'info', path: 'a\n2026/11/20 b\x1b[2J\x7f', message: 'x' });
  expect(line).toBe('2026/11/20 09:05:07 INFO  : a␊2026/11/20 b␛[2J␡: x\n');
});

test('nor can a message, and nothing of it is obeyed', () => {
  expect(text({ level: 'error', message: 'a\r\nb\x1b[2J\x9b\u202e' })).toBe(
    '2026/11/20 09:05:07 ERROR : a␍␊b␛[2J��\n',
  );
});

test('statistics keep their lines', () => {
  expect(text({ level: 'info', lines: true, message: '\nA\nB\n\n' })).toBe(
    '2026/11/20 09:05:07 INFO  : \nA\nB\n\n',
  );
});

test('causes are told when asked for', () => {
  const root = new Error('ECONNREFUSED');
  const middle = new Error('fetch failed', { cause: root });
  const error = new SyncerError('network', 'no connection', { cause: middle });
  const record = { level: 'error', message: error.message, error } as const;
  expect(text(record)).toBe('2026/11/20 09:05:07 ERROR : no connection\n');
  const lines = text(record, causesOf(error)).split('\n');
  expect(lines[0]).toBe('2026/11/20 09:05:07 ERROR : no connection');
  expect(lines[1]).toBe('    Error: fetch failed');
  expect(lines.some((line) => line === '    Error: ECONNREFUSED')).toBe(true);
});

test('JSON has the keys of rclone in its order', () => {
  const fields = { skipped: 'copy', size: 3 };
  const line = formatJsonRecord({ ...at, level: 'notice', path: 'd/a', message: 'x', fields }, []);
  expect(line).toBe(
    '{"time":"2026-11-20T09:05:07.123Z","level":"notice","msg":"x","skipped":"copy","size":3,' +
      '"object":"d/a","objectType":"string"}\n',
  );
});

test('JSON tells the kind of an error, and times with the local offset', () => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  const error = new SyncerError('file-not-found', 'gone');
  const line = formatJsonRecord({ ...at, level: 'error', message: 'gone', error }, []);
  expect(JSON.parse(line)).toEqual({
    code: 'file-not-found',
    level: 'error',
    msg: 'gone',
    time: '2026-11-20T14:35:07.123+05:30',
  });
});
