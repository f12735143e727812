import { relative } from 'node:path';

/** How many tests did what. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** The files with skipped tests and how many each has: `test/peers/ceph/s3-ceph.test.ts: 61 tests`. */
  readonly skipped: readonly string[];
  /** Those of the passed ones that failed at first, as `testsThatFailed` names them. */
  readonly secondTries: readonly string[];
  /** The ten files that took longest, the longest first. */
  readonly slowest: readonly { readonly name: string; readonly seconds: number }[];
}

/** The part of vitest's JSON report that is read here. */
export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** In milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** Why it failed; of a test that passed, at first. */
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** What a run counts that gave no report. */
export const NO_REPORT: TestCounts = {
  passed: 0,
  failed: 1,
  skipped: [],
  secondTries: [],
  slowest: [],
};

/**
 * Counts a report. A file that failed as a whole (it could not be loaded, its set-up threw) is one failed
 * test, and so is a run that failed without any failed test, or that had no tests at all.
 *
 * @param root the folder that names of files are relative to
 */
export function countTests({ success, testResults }: TestReport, root: string): TestCounts {
  const statuses = testResults.flatMap(({ status, assertionResults }) => {
    const tests = assertionResults.map((test) => test.status);
    return status === 'failed' && !tests.includes('failed') ? [...tests, 'failed'] : tests;
  });
  const count = (status: string) => statuses.filter((each) => each === status).length;
  const passed = count('passed');
  const failed = count('failed');
  const hidden = failed === 0 && (!success || passed === 0) ? 1 : 0;
  const skipped = testResults.flatMap(({ name, assertionResults }) => {
    const left = assertionResults.filter(
      ({ status }) => status !== 'passed' && status !== 'failed',
    );
    if (left.length === 0) return [];
    return [`${relative(root, name)}: ${left.length} ${left.length === 1 ? 'test' : 'tests'}`];
  });
  const slowest = testResults
    .map(({ name, startTime, endTime }) => ({
      name: relative(root, name),
      seconds: (endTime - startTime) / 1000,
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10);
  const secondTries = testsThatFailed({ testResults }, 'passed', root);
  return { passed, failed: failed + hidden, skipped, secondTries, slowest };
}

/**
 * The tests of a report that failed, at the end or, of the `passed` ones, at first; one line each: file, name and the
 * first line of the reason.
 */
export function testsThatFailed(
  { testResults }: Pick<TestReport, 'testResults'>,
  end: 'passed' | 'failed',
  root: string,
): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages: { length } }) => {
        return status === end && (end === 'failed' || length > 0);
      })
      .map(({ fullName, failureMessages: [why = ''] }) => {
        const reason = why.slice(0, 300).split('\n', 1);
        return [relative(root, name), fullName, ...reason].join(': ');
      }),
  );
}

/** The line with which a run ends. */
export function closingLine({ passed, failed }: Pick<TestCounts, 'passed' | 'failed'>): string {
  return `tests: ${passed} passed, ${failed} failed`;
}
