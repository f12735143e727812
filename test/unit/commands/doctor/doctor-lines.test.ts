import { describe, expect, test } from 'vitest';
import {
  checkLines,
  type ReportedCheck,
  reported,
  reportJson,
  summaryLine,
} from '../../../../commands/doctor/run-doctor.ts';
import { ALL, PRETEND } from '../../../../src/engine/consent.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

const CHECK: ReportedCheck = {
  ...{ group: 'folders', check: 'config-mode', verdict: 'failed', mend: 'chmod 600 /x' },
  text: 'other users can read secrets in /home/me/.config/syncer/syncer.conf, says the system',
};
const text = (one: ReportedCheck, columns: number, glyphs = UNICODE_GLYPHS) =>
  checkLines(one, columns, glyphs).map((line) => line.map((span) => span.text).join(''));

test('a check in 80 columns', () => {
  expect(text(CHECK, 80)).toEqual([
    '  ✗  config-mode         other users can read secrets in',
    '                         /home/me/.config/syncer/syncer.conf, says the system',
    '                         $ chmod 600 /x',
  ]);
});

test('in 40 columns the text stands below', () => {
  const lines = text({ ...CHECK, verdict: 'warning' }, 40, ASCII_GLYPHS);
  expect(lines[0]).toBe('  !  config-mode');
  expect(lines.at(-1)).toBe('     $ chmod 600 /x');
  expect(lines.every((line) => cellWidth(line) <= 40)).toBe(true);
});

test('control characters of names are harmless', () => {
  expect(text({ ...CHECK, text: 'a\x1b[31mb' }, 80).join()).not.toContain('\x1b');
});

test('the counts', () => {
  const all = (['failed', 'warning', 'ok', 'fixed', 'unknown'] as const).map((verdict) => {
    return { ...CHECK, verdict };
  });
  expect(
    summaryLine(all)
      .map((span) => span.text)
      .join(''),
  ).toBe('1 failed, 1 warning, 1 unknown, 1 fixed, 1 ok');
});

test('JSON', () => {
  const { mend: _, ...fine } = { ...CHECK, verdict: 'ok' as const, text: 't' };
  expect(JSON.parse(reportJson([CHECK, fine]))).toEqual({
    doctor: 1,
    failed: 1,
    checks: [CHECK, { ...fine, mend: null }],
  });
});

describe('--fix', () => {
  const result = { ...CHECK, verdict: 'failed' as const, fix: async () => 'done it' };
  const emit = () => {};

  test('reports what it did, or why it could not', async () => {
    const run = { context: { emit }, consent: ALL };
    expect(await reported('g', result, run)).toEqual({
      ...{ group: 'g', check: 'config-mode', verdict: 'fixed', text: `${CHECK.text}: done it` },
    });
    const fails = { ...result, fix: async () => Promise.reject(new Error('read-only')) };
    expect(await reported('g', fails, run)).toMatchObject({
      ...{ verdict: 'failed', text: `${CHECK.text}; it cannot be fixed: read-only` },
    });
  });

  test('does nothing without the flag, and with --dry-run', async () => {
    for (const run of [undefined, { context: { emit }, consent: PRETEND }]) {
      expect(await reported('folders', result, run)).toEqual(CHECK);
    }
  });
});
