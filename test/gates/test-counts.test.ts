import { expect, test } from 'vitest';
import {
  closingLine,
  countTests,
  type TestReport,
  testsThatFailed,
} from '../../scripts/testing/test-counts.ts';

const file = (status: string, ...tests: string[]) => ({
  name: '/root/a.test.ts',
  status,
  startTime: 0,
  endTime: 1500,
  assertionResults: tests.map((each, index) => ({
    status: each,
    fullName: `test ${index}`,
    failureMessages: each === 'failed' ? ['no'] : [],
  })),
});

const count = (report: TestReport) => countTests(report, '/root');
const slow = { name: 'a.test.ts', seconds: 1.5 };

test('a good run', () => {
  const files = [file('passed', 'passed', 'passed', 'pending'), file('passed', 'passed', 'passed')];
  const counts = count({ success: true, testResults: files });
  expect(counts).toEqual({
    passed: 4,
    failed: 0,
    skipped: ['a.test.ts: 1 test'],
    secondTries: [],
    slowest: [slow, slow],
  });
  expect(closingLine(counts)).toBe('tests: 4 passed, 0 failed');
});

test('a test that passed on its second try counts as passed, and is named', () => {
  const [one, two] = file('passed', 'passed', 'passed').assertionResults;
  const tried = { ...file('passed'), assertionResults: [one, { ...two, failureMessages: ['no'] }] };
  const counts = count({ success: true, testResults: [tried as ReturnType<typeof file>] });
  expect([counts.passed, counts.failed, counts.secondTries]).toEqual([
    2,
    0,
    ['a.test.ts: test 1: no'],
  ]);
});

test.each([
  ['a failed test', { success: false, testResults: [file('failed', 'passed', 'failed')] }],
  ['a file that cannot be loaded', { success: false, testResults: [file('failed')] }],
  ['a set-up that throws', { success: false, testResults: [file('failed', 'passed', 'skipped')] }],
  ['an error outside every test', { success: false, testResults: [file('passed', 'passed')] }],
  ['no tests at all', { success: true, testResults: [] }],
])('a planted fault counts as one failed test: %s', (_, report) => {
  expect(count(report).failed).toBe(1);
});

test('a failed test is named, with the first line of the reason', () => {
  const [failed] = file('failed', 'failed').assertionResults;
  const told = {
    ...file('failed'),
    assertionResults: [{ ...failed, failureMessages: ['no\n at'] }],
  };
  const report = { success: false, testResults: [file('passed', 'passed'), told] } as TestReport;
  expect(testsThatFailed(report, 'failed', '/root')).toEqual(['a.test.ts: test 0: no']);
  const silent = { ...told, assertionResults: [{ ...failed, failureMessages: [] }] };
  const without = { success: false, testResults: [silent] } as unknown as TestReport;
  expect(testsThatFailed(without, 'failed', '/root')).toEqual(['a.test.ts: test 0: ']);
});
