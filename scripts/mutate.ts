import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../test/support/random-from.ts';
import { drawFaults, type PlantedFault, withFault } from './testing/draw-faults.ts';
import { nearestTests } from './testing/nearest-tests.ts';

/**
 * `npm run mutate -- PATHS`: plants faults in product files, one at a time, and runs the tests that should find them.
 * Works in a copy of the checkout. The last line counts what was found; a fault that is not found is exit code 1.
 */
const HELP = `npm run mutate -- PATH... [--seed N] [--faults N] [--tests N] [--list]

PATH      product files or directories, such as src/engine or commands/trash
--seed    draws other faults; default: a random one, which is printed
--faults  how many; default: 10
--tests   how many test files may look for a fault, the nearest ones; default: all that import it
--list    print the faults only
`;

/** How many test files run first, and at most: each time twice as many, if they find nothing. */
const AT_ONCE = [5, 40] as const;
/** How long these may take, in milliseconds. A fault that lets them hang is found. */
const LIMIT_MS = 900_000;
const FAILED = /FAIL\s+(?:\|?own\|?\s+)?((test\/\S+).*)/;
const PRODUCT = /^(src|commands|components|installer)\/.*\.tsx?$/;

const root = resolve(import.meta.dirname, '..');
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    faults: { type: 'string', default: '10' },
    tests: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length === 0) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const tracked = gitFiles();
const paths = positionals.map((path) => relative(root, resolve(path)));
const files = tracked.filter(
  (file) =>
    PRODUCT.test(file) && paths.some((path) => file === path || file.startsWith(`${path}/`)),
);
if (files.length === 0) {
  console.error(`mutate: no product files in ${positionals.join(' ')}`);
  process.exit(2);
}
const sources = tracked.filter((file) => /\.tsx?$/.test(file));
const texts = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const most = Number(values.tests ?? sources.length);
/** Tests that fail without a fault, as they need what a copy has not: a build, the history. */
const unfit = new Set<string>();
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const faults = drawFaults(files, Number(values.faults), randomFrom(seed));
console.log(`seed ${seed}, ${faults.length} faults in ${files.length} files`);
if (values.list) for (const fault of faults) console.log(lineOf(fault));
else await plantAll();

async function plantAll(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'syncer-mutate-'));
  process.on('exit', () => {
    rmSync(copy, { recursive: true, force: true });
    rmSync(`${copy}.tsbuildinfo`, { force: true });
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => process.exit(1));
  for (const file of tracked) cpSync(file, join(copy, file), { verbatimSymlinks: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // Some tests run the program as another user.
  chmodSync(copy, 0o755);
  let found = 0;
  for (const fault of faults) {
    const by = await finderOf(copy, fault);
    if (by !== undefined) found++;
    console.log(`${by === undefined ? 'NOT FOUND' : 'found'}  ${lineOf(fault)}`);
    if (by !== undefined) console.log(`       by ${by}`);
  }
  console.log(`${faults.length} faults: ${found} found, ${faults.length - found} not found`);
  if (found < faults.length) process.exitCode = 1;
}

/** What finds a fault: the types, or the first test that fails with it, twice, and not without it. */
async function finderOf(copy: string, fault: PlantedFault): Promise<string | undefined> {
  const path = join(copy, fault.file);
  const text = readFileSync(path, 'utf8');
  const plant = () => writeFileSync(path, withFault(text, fault));
  const heal = () => writeFileSync(path, text);
  plant();
  try {
    const types = ['tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', `${copy}.tsbuildinfo`];
    if (!(await runIn(copy, types)).ok) return 'the types';
    const tests = nearestTests(fault.file, texts).filter((test) => !unfit.has(test));
    let left = tests.slice(0, most);
    let size: number = AT_ONCE[0];
    while (left.length > 0) {
      const batch = left.slice(0, size);
      const { ok, output } = await runTests(copy, batch);
      const [, test, failed] = FAILED.exec(output) ?? [];
      if (ok) {
        left = left.slice(size);
        size = Math.min(size * 2, AT_ONCE[1]);
      } else if (test === undefined || failed === undefined) return 'tests that do not end';
      else {
        left = left.filter((each) => each !== failed);
        // A busy machine may fail a test, too.
        if ((await runTests(copy, [failed])).ok) continue;
        heal();
        if ((await runTests(copy, [failed])).ok) return test;
        console.log(`${failed} fails without a fault, too, and is left out from now on`);
        unfit.add(failed);
        plant();
      }
    }
    return undefined;
  } finally {
    heal();
  }
}

/** Builds the program and runs these tests, as `npm test` does. */
async function runTests(copy: string, tests: readonly string[]) {
  const built = await runIn(copy, ['node', 'scripts/build.ts']);
  return built.ok
    ? await runIn(copy, ['vitest', 'run', ...tests, '--project=own', '--bail=1'])
    : built;
}

/** Runs one of the project's programs in the copy. */
function runIn(copy: string, [command = '', ...args]: readonly string[]) {
  return new Promise<{ readonly ok: boolean; readonly output: string }>((done) => {
    const bin = join(root, 'node_modules/.bin');
    const child = spawn(join(bin, command), args, {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...{ PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1', SYNCER_TEST_DIST: '1' },
      },
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    child.on('close', (code) => done({ ok: code === 0, output }));
  });
}

function gitFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard']);
  return list
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(file));
}

function lineOf({ file, line, kind, before, after }: PlantedFault): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${kind}: ${short(before)} → ${short(after)}`;
}
