import { join, resolve } from 'node:path';
import { startCeph } from './testing/ceph-server.ts';
import { filesInMemory } from './testing/files-in-memory.ts';
import { runStep } from './testing/run-step.ts';
import { runVitest } from './testing/run-vitest.ts';
import { slowDown } from './testing/slow-machine.ts';
import { closingLine } from './testing/test-counts.ts';

/**
 * `npm test`, `npm run test:quick`, `npm run test:all` and `npm run test:peers`: the first argument is the set of tests
 * (docs/testing.md). Further arguments go to vitest as they are, and only those tests run, with their programs built
 * before.
 * With `--slow` they run as on a slow machine that is busy.
 * The last line says how many tests passed and failed; a check that fails counts as one.
 */
const root = resolve(import.meta.dirname, '..');
const [set = '', ...words] = process.argv.slice(2);
const only = words.filter((word) => word !== '--slow');
const everything = only.length === 0;
process.chdir(root);

const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interruption.abort());

type Step = readonly [name: string, command: string, ...args: string[]];

const CHECKS: readonly Step[] = [
  ['formatting and lint', 'biome', 'check', '.'],
  ['layers, names, lengths, doc comments', process.execPath, 'scripts/check-source.ts'],
  ['unused code', 'knip'],
  ['types', 'tsc', '--noEmit'],
];
const BUILD: Step = ['build', process.execPath, 'scripts/build.ts'];
/**
 * Random trials, where they cannot delay anyone: always the same ones, so that a change is judged by what it changes;
 * `npm run chaos` takes others.
 */
const CHAOS: Step = [
  'random trials',
  process.execPath,
  'scripts/chaos.ts',
  ...['--minutes', '0.5', '--trials', '1000', '--seed', '1', '--twice'],
];

/** The tests of a set: a project of vitest.config.ts, or a part of it. */
const PROJECTS: Readonly<Record<string, readonly string[]>> = {
  own: ['--project=own'],
  quick: ['--project=own', 'test/unit/'],
  all: ['--project=all'],
  peers: ['--project=peers'],
};
const projects = PROJECTS[set];
if (projects === undefined) {
  console.error(`test: the set of tests is ${Object.keys(PROJECTS).join(', ')}, not "${set}"`);
  process.exit(2);
}

let failedChecks = 0;
const check = async ([name, command, ...args]: Step) => {
  console.log(`\n# ${name}`);
  if (await runStep(command, args, { signal })) return;
  failedChecks++;
  console.error(`failed: ${name}`);
};

if (everything && set === 'own') await Promise.all(CHECKS.map(check));
if (everything && set === 'peers') {
  await runStep(join(root, 'scripts/install-test-tools.sh'), [], { signal });
}
if (set !== 'quick') await check(BUILD);
if (everything && set === 'peers') await check(CHAOS);

console.log('\n# tests');
const slow = words.includes('--slow') ? slowDown() : undefined;
const ceph = everything && set === 'peers' ? await startCeph(signal) : undefined;
if (everything && set === 'peers' && ceph === undefined) {
  const required = process.env['SYNCER_TEST_CEPH'] === 'required';
  console.error(`${required ? 'failed' : 'skipped'}: the S3 contract tests against Ceph`);
  if (required) failedChecks++;
}
const args = [...(everything ? projects : []), ...only];
// The other programs of that set may need a disk.
const files = set === 'peers' ? undefined : await filesInMemory();
const counts = await runVitest(args, { ...ceph?.env, ...slow?.env, ...files?.env }, signal);
await files?.remove();
slow?.stop();
await ceph?.stop();

if (counts.slowest.length > 1) {
  console.log('\nThe slowest files, in seconds:');
  for (const { name, seconds } of counts.slowest)
    console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
}
for (const name of counts.skipped) console.log(`skipped: ${name}`);
for (const name of counts.secondTries) console.log(`passed on a retry: ${name}`);
const failed = counts.failed + failedChecks;
console.log(closingLine({ ...counts, failed }));
if (failed > 0) process.exitCode = 1;
