import { expect, test } from 'vitest';
import { closingLine, countTests } from '../../scripts/testing/test-counts.ts';

const file = (status: string, ...tests: string[]) => ({
  name: 'a.test.ts',
  status,
  assertionResults: tests.map((each, index) => ({
    status: each,
    fullName: `test ${index}`,
    failureMessages: each === 'failed' ? ['no'] : [],
  })),
});

test('a good run', () => {
  const counts = countTests({
    success: true,
    testResults: [file('passed', 'passed', 'passed', 'pending'), file('passed', 'passed', 'todo')],
  });
  expect(counts).toEqual({ passed: 3, failed: 0, skipped: 2, secondTries: [] });
  expect(closingLine(counts)).toBe('tests: 3 passed, 0 failed');
});

test('a test that passed on its second try counts as passed, and is named', () => {
  const [one, two] = file('passed', 'passed', 'passed').assertionResults;
  const tried = { ...file('passed'), assertionResults: [one, { ...two, failureMessages: ['no'] }] };
  const counts = countTests({ success: true, testResults: [tried as ReturnType<typeof file>] });
  expect(counts).toEqual({ passed: 2, failed: 0, skipped: 0, secondTries: ['test 1'] });
});

test.each([
  ['a failed test', { success: false, testResults: [file('failed', 'passed', 'failed')] }],
  ['a file that cannot be loaded', { success: false, testResults: [file('failed')] }],
  ['a set-up that throws', { success: false, testResults: [file('failed', 'passed', 'skipped')] }],
  ['an error outside every test', { success: false, testResults: [file('passed', 'passed')] }],
  ['no tests at all', { success: true, testResults: [] }],
])('a planted fault counts as one failed test: %s', (_, report) => {
  expect(countTests(report).failed).toBe(1);
});
