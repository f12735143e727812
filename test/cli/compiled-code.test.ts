import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';

/** Only the built program has compiled code. */
const dist = resolve(import.meta.dirname, '../../dist');

let dir: string;
let home: string;
let compiled: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-compiled-'));
  home = join(dir, 'home');
  compiled = join(home, '.cache/syncer/compiled');
  await writeTree(dir, { 'home/.keep': '', 'files/a': 'x' });
});

afterEach(() => rm(dir, { recursive: true }));

async function lsf(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const words = [join(dist, 'syncer.js'), 'lsf', 'files', '--config='];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
  expect([stdout, stderr]).toEqual(['a\n', '']);
}

/** The directory of this build, and its files by the beginnings of their names. */
async function ofBuild(at = compiled) {
  const [build = ''] = (await readdir(at)).filter((name) => /-[\da-f]{16}$/.test(name));
  const names = await readdir(join(at, build));
  const path = (start: string) =>
    join(at, build, names.find((name) => name.startsWith(start)) ?? start);
  return { build: join(at, build), names, path };
}

test('the first three runs of a kind keep what they compiled, and no more', async () => {
  await lsf();
  const { path, names } = await ofBuild();
  expect(names.filter((name) => name.startsWith('program-'))).toHaveLength(1);
  expect(names.filter((name) => /\.\d+$/.test(name))).toEqual([]);
  for (const runs of [1, 2, 3, 3]) {
    expect(await readFile(path('lsf-'), 'utf8')).toBe('.'.repeat(runs));
    await lsf();
  }
  const { mtimeMs } = await stat(path('program-'));
  await lsf();
  expect((await stat(path('program-'))).mtimeMs).toBe(mtimeMs);
});

test('the functions that were called are in it', async () => {
  await lsf();
  const { path } = await ofBuild();
  const whole = await stat(path('program-'));
  const script = await stat(join(dist, 'chunks', basename(path('program-'))));
  // Without them it is a little smaller than the text.
  expect(whole.size).toBeGreaterThan(script.size);
});

test('a cache that is damaged, of another program, empty or a directory is as none', async () => {
  await lsf();
  const { path } = await ofBuild();
  const code = await readFile(path('program-'));
  for (const wrong of [code.subarray(0, 1000), Buffer.alloc(code.length), Buffer.alloc(0)]) {
    await writeFile(path('program-'), wrong);
    await lsf();
  }
  await cp(path('remotes-'), path('program-'));
  await lsf();
});

test('flags of V8 that are not those of the first runs make no difference but time', async () => {
  await lsf();
  await lsf({ NODE_OPTIONS: '--max-old-space-size=200' });
  await lsf();
});

test('a directory of an old build is deleted after a month, others stay', async () => {
  const [old, fresh, other] = ['v24.0.0-x64-0123456789abcdef', 'v24.0.0-x64-fedcba9876543210', 'x'];
  await writeTree(compiled, { [`${old}/a`]: '', [`${fresh}/a`]: '', [`${other}/a`]: '' });
  const before = Date.now() / 1000 - 40 * 86_400;
  for (const name of [old, other]) await utimes(join(compiled, name), before, before);
  await lsf();
  const left = await readdir(compiled);
  expect(left).not.toContain(old);
  expect(left).toEqual(expect.arrayContaining([fresh, other]));
});

test('Node’s own variables name another directory, or none', async () => {
  const elsewhere = join(dir, 'elsewhere');
  await mkdir(elsewhere);
  await lsf({ NODE_COMPILE_CACHE: elsewhere });
  expect((await ofBuild(elsewhere)).names.join()).toMatch(/program-/);
  await lsf({ NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(existsSync(compiled)).toBe(false);
});

test.runIf(process.getuid?.() === 0)(
  'root makes and uses nothing in the home of a user',
  async () => {
    await chown(home, 54321, 54321);
    await lsf();
    expect(existsSync(join(home, '.cache'))).toBe(false);
    await mkdir(compiled, { recursive: true });
    await chown(compiled, 54321, 54321);
    await lsf();
    expect(await readdir(compiled)).toEqual([]);
  },
);
