import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep } from './run-step.ts';
import { countTests, type TestCounts, type TestReport } from './test-counts.ts';

/**
 * Runs the tests against the built program and counts them. A run that gives no report counts as one failed test.
 *
 * @param args for vitest: which tests; all where there are none
 * @param env added to the environment of the tests
 */
export async function runVitest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    // A machine that stands still for seconds fails a test that is right: it may try once more, and is named.
    const retry = process.env['CI'] === undefined ? [] : ['--retry=1'];
    await runStep('vitest', ['run', ...reporters, ...retry, ...args], {
      env: { ...process.env, ...env, SYNCER_TEST_DIST: '1' },
      signal,
    });
    return countTests(JSON.parse(await readFile(report, 'utf8')) as TestReport);
  } catch {
    return { passed: 0, failed: 1, skipped: 0, secondTries: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
