import { join, resolve } from 'node:path';
import { startCeph } from './testing/ceph-server.ts';
import { runStep } from './testing/run-step.ts';
import { runVitest } from './testing/run-vitest.ts';
import { closingLine } from './testing/test-counts.ts';

/**
 * `npm test`: everything that must hold of the project. With arguments: only those tests, given to vitest as they are.
 * The last line says how many tests passed and failed; a check that fails counts as one.
 */
const root = resolve(import.meta.dirname, '..');
const only = process.argv.slice(2);
const everything = only.length === 0;
process.chdir(root);

const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interruption.abort());

const CHECKS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['formatting and lint', 'biome', 'check', '.'],
  ['layers, names, lengths, doc comments', process.execPath, 'scripts/check-source.ts'],
  ['unused code', 'knip'],
  ['types', 'tsc', '--noEmit'],
];
/**
 * Random trials, where they cannot delay anyone: always the same ones, so that a change is judged by what it changes;
 * `npm run chaos` takes others.
 */
const CHAOS = [
  ...['random trials', process.execPath, 'scripts/chaos.ts'],
  ...['--minutes', '0.5', '--trials', '1000', '--seed', '1', '--twice'],
] as [string, string, ...string[]];
const BUILD = ['build', process.execPath, 'scripts/build.ts'] as const;

if (everything) await runStep(join(root, 'scripts/install-test-tools.sh'), [], { signal });
let failedChecks = 0;
const check = async ([name, command, ...args]: (typeof CHECKS)[number]) => {
  console.log(`\n# ${name}`);
  if (await runStep(command, args, { signal })) return;
  failedChecks++;
  console.error(`failed: ${name}`);
};
if (everything) await Promise.all(CHECKS.map(check));
await check(BUILD);
if (everything && process.env['CI']) await check(CHAOS);

console.log('\n# tests');
const ceph = everything ? await startCeph(signal) : undefined;
if (everything && ceph === undefined) {
  const required = process.env['SYNCER_TEST_CEPH'] === 'required';
  console.error(`${required ? 'failed' : 'skipped'}: the S3 contract tests against Ceph`);
  if (required) failedChecks++;
}
const counts = await runVitest(only, ceph?.env ?? {}, signal);
await ceph?.stop();

if (counts.skipped > 0) console.log(`skipped: ${counts.skipped} (vitest says which)`);
for (const name of counts.secondTries) console.log(`passed on the second try: ${name}`);
const failed = counts.failed + failedChecks;
console.log(closingLine({ ...counts, failed }));
if (failed > 0) process.exitCode = 1;
