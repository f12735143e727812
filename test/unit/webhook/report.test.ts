import { expect, test } from 'vitest';
import {
  detailLines,
  explanationLines,
  hookLines,
  refusalText,
  runLines,
  tookText,
} from '../../../src/webhook/report/run-lines.ts';
import type { RuleExplanation } from '../../../src/webhook/rule/judge-rule.ts';
import { hook, run } from '../components/hooks/screen-world.ts';

const EXPLANATION: RuleExplanation = {
  ...{ outcome: 'no', what: 'and' },
  parts: [
    { outcome: 'yes', what: 'value of url "a"', parts: [] },
    {
      ...{ outcome: 'no', what: 'or' },
      parts: [{ outcome: 'no', what: 'value of url "b"', why: 'it is "1", not "2"', parts: [] }],
    },
    { outcome: 'skipped', what: 'ip-whitelist', parts: [] },
  ],
};

test('an explanation is a tree of lines, and its deciding part a line', () => {
  expect(explanationLines(EXPLANATION)).toEqual([
    'no    and',
    '  yes   value of url "a"',
    '  no    or',
    '    no    value of url "b": it is "1", not "2"',
    '  -     ip-whitelist',
  ]);
  expect(refusalText(EXPLANATION)).toBe('value of url "b": it is "1", not "2"');
  expect(refusalText({ outcome: 'no', what: 'and', parts: [] })).toBe('and: is not satisfied');
});

test('lists have columns, and nothing in them is obeyed by a terminal', () => {
  const lines = hookLines([hook('a'), hook('longer\x1b[2J', { running: 1, last: run('1') })]);
  expect(lines[0]).toMatch(/^a {11,}0 running {2}0 waiting {2}- +- +\/bin\/a$/);
  expect(lines.join()).not.toContain('\x1b');
  const [line] = runLines([run('1', { startedMs: 0, endedMs: 1500, failure: 'exit status 2' })], 0);
  expect(line).toMatch(
    /^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}deploy {2}done {2}1\.5 s {2}exit status 2$/,
  );
});

test('a run tells its request and why it was refused', () => {
  const told = detailLines({ run: run('7', { state: 'refused', explanation: EXPLANATION }) }, 0);
  expect(told).toContain('request   POST /hooks/deploy from 10.0.0.1:5 (r)');
  expect(told).toContain('      no    value of url "b": it is "1", not "2"');
});

test.each([
  [1_234, '1.2 s'],
  [250_000, '4 min 10 s'],
  [7_400_000, '2 h 3 min'],
])('%d ms take %s', (ms, text) => {
  expect(tookText(run('1', { startedMs: 10 }), ms + 10)).toBe(text);
});
