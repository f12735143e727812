import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../test/support/random-from.ts';
import { drawFaults, type PlantedFault, withFault } from './testing/draw-faults.ts';

/**
 * `npm run mutate -- PATHS`: plants faults in product files, one at a time, and runs the tests that should find them.
 * Works in a copy of the checkout. The last line counts what was found; a fault that is not found is exit code 1.
 */
const HELP = `npm run mutate -- PATH... [--seed N] [--faults N] [--list]

PATH      product files or directories, such as src/engine or commands/trash
--seed    draws other faults; default: a random one, which is printed
--faults  how many; default: 10
--list    print the faults only
`;

/** How long the tests of one fault may take, in milliseconds. A fault that lets them hang is found. */
const LIMIT_MS = 900_000;
const PRODUCT = /^(src|commands|components|installer)\/.*\.tsx?$/;

const root = resolve(import.meta.dirname, '..');
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    faults: { type: 'string', default: '10' },
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
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const faults = drawFaults(files, Number(values.faults), randomFrom(seed));
console.log(`seed ${seed}, ${faults.length} faults in ${files.length} files`);
if (values.list) for (const fault of faults) console.log(lineOf(fault));
else await plantAll();

async function plantAll(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'syncer-mutate-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => process.exit(1));
  for (const file of tracked) cpSync(file, join(copy, file), { verbatimSymlinks: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
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

/** What finds a fault: the types, or the first test that fails. */
async function finderOf(copy: string, fault: PlantedFault): Promise<string | undefined> {
  const path = join(copy, fault.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, withFault(text, fault));
  try {
    if (!(await runIn(copy, ['tsc', '--noEmit'])).ok) return 'the types';
    const near = testsNear(fault.file);
    for (const args of [near, ['related', fault.file]]) {
      if (args.length === 0) continue;
      const way = args === near ? ['run', ...near] : [...args, '--run'];
      const { ok, output } = await runIn(copy, ['vitest', ...way, '--project=own', '--bail=1']);
      const [, test] = /FAIL\s+(?:\|?own\|?\s+)?(.+)/.exec(output) ?? [];
      if (!ok) return test ?? 'tests that do not end';
    }
    return undefined;
  } finally {
    writeFileSync(path, text);
  }
}

/** The test files that import a product file, and those at its path. */
function testsNear(file: string): string[] {
  const name = file.replace(/^src\//, '').replace(/\.tsx?$/, '');
  return tracked.filter((test) => {
    if (!/^test\/(?!peers).*\.test\.tsx?$/.test(test)) return false;
    if (test.startsWith(`test/unit/${name}.`)) return true;
    const imports = readFileSync(test, 'utf8').matchAll(/from '(\.[^']+)'/g);
    return [...imports].some(([, path = '']) => join(dirname(test), path) === file);
  });
}

/** Runs one of the project's programs in the copy, as `npm test` runs it. */
function runIn(copy: string, [command = '', ...args]: readonly string[]) {
  return new Promise<{ readonly ok: boolean; readonly output: string }>((done) => {
    const bin = join(root, 'node_modules/.bin');
    const child = spawn(join(bin, command), args, {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' },
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
