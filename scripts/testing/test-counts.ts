/** How many tests did what. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Those of the passed ones that failed at first. */
  readonly secondTries: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** Of a test that passed: why it failed at first. */
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/**
 * Counts a report. A file that failed as a whole (it could not be loaded, its set-up threw) is one failed
 * test, and so is a run that failed without any failed test, or that had no tests at all.
 */
export function countTests({ success, testResults }: TestReport): TestCounts {
  const statuses = testResults.flatMap(({ status, assertionResults }) => {
    const tests = assertionResults.map((test) => test.status);
    return status === 'failed' && !tests.includes('failed') ? [...tests, 'failed'] : tests;
  });
  const count = (status: string) => statuses.filter((each) => each === status).length;
  const passed = count('passed');
  const failed = count('failed');
  const hidden = failed === 0 && (!success || passed === 0) ? 1 : 0;
  const secondTries = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName }) => fullName);
  const skipped = statuses.length - passed - failed;
  return { passed, failed: failed + hidden, skipped, secondTries };
}

/** The line with which a run ends. */
export function closingLine({ passed, failed }: Pick<TestCounts, 'passed' | 'failed'>): string {
  return `tests: ${passed} passed, ${failed} failed`;
}
