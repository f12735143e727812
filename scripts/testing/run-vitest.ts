import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep } from './run-step.ts';
import {
  countTests,
  NO_REPORT,
  type TestCounts,
  type TestReport,
  testsThatFailed,
} from './test-counts.ts';

/**
 * Runs the tests against the built program and counts them. A run that gives no report counts as one failed test.
 * The tests have a home of their own, and nothing of the user's settings.
 *
 * @param args for vitest: which tests
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
    const isSuccess = await runStep('vitest', ['run', ...reporters, ...retry, ...args], {
      env: { ...(await ownEnvironment(folder)), ...env, SYNCER_TEST_DIST: '1' },
      signal,
    });
    const found = JSON.parse(await readFile(report, 'utf8')) as TestReport;
    for (const text of testsThatFailed(found, 'failed', process.cwd()))
      console.log(`failed: ${text}`);
    // Of a process that ended in the middle of a file the report has nothing.
    return countTests({ ...found, success: found.success && isSuccess }, process.cwd());
  } catch {
    return NO_REPORT;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Settings of the programs whose commands the tests run. */
const USERS = /^(SYNCER_(?!TEST_)|RCLONE_|AWS_|XDG_)/;

/** The machine's environment without the user's settings, and with a home of the run's own. */
async function ownEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const HOME = join(folder, 'home');
  await mkdir(HOME, { mode: 0o700 });
  const kept = Object.entries(process.env).filter(([name]) => !USERS.test(name));
  return { npm_config_cache: join(homedir(), '.npm'), ...Object.fromEntries(kept), HOME };
}
