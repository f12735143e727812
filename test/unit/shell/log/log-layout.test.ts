import { expect, test, vi } from 'vitest';
import { logPrefix, readLogFormat } from '../../../../src/shell/log/log-record.ts';

const time = Date.parse('2026-11-20T09:05:07.123Z');

test.each([
  ['date,time', '2026/11/20 09:05:07 '],
  ['time', '09:05:07 '],
  ['date', '2026/11/20 '],
  ['microseconds', '09:05:07.123000 '],
  ['date,time,microseconds,pid', '2026/11/20 09:05:07.123000 [7] '],
  ['PID,shortfile', '[7] '],
  ['', ''],
])('%j', (format, expected) => {
  const layout = { format: readLogFormat(`${format}, utc`), systemd: false, pid: 7 };
  expect(logPrefix(layout)(time, 'info')).toBe(expected);
});

test('an unknown name is wrong usage', () => {
  expect(() => readLogFormat('date,foo')).toThrow(
    'invalid value for flag --log-format: "foo" is not one of date, time,',
  );
});

test('times are local without UTC', () => {
  vi.stubEnv('TZ', 'America/New_York');
  try {
    const prefix = logPrefix({ format: readLogFormat('date,time'), systemd: false, pid: 7 });
    expect(prefix(time, 'info')).toBe('2026/11/20 04:05:07 ');
  } finally {
    vi.unstubAllEnvs();
  }
});

test("systemd gets its priorities and has the journal's time", () => {
  const prefix = logPrefix({ format: readLogFormat('date,time'), systemd: true, pid: 7 });
  const levels = ['error', 'notice', 'info', 'debug'] as const;
  expect(levels.map((level) => prefix(time, level))).toEqual(['<3>', '<5>', '<6>', '<7>']);
});
