/** How many tests did what. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
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
  return { passed, failed: failed + hidden, skipped: statuses.length - passed - failed };
}

/** The line with which a run ends. */
export function closingLine({ passed, failed }: TestCounts): string {
  return `tests: ${passed} passed, ${failed} failed`;
}
