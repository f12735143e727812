import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
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
import { someOf, testOfAll } from '../support/in-part.ts';

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

async function lsf(env: Readonly<Record<string, string>> = {}, flag = '-q'): Promise<void> {
  const words = [join(dist, 'syncer.js'), 'lsf', 'files', '--config=', flag];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
  expect([stdout, stderr]).toEqual(['a\n', '']);
}

/** The directories of this build, one for each set of flags, and the files of the first. */
async function ofBuild(at = compiled) {
  const builds = (await readdir(at)).filter((name) => /^v.*-[\da-f]{16}(-\w+)?$/.test(name)).sort();
  const names = await readdir(join(at, builds[0] ?? ''));
  const path = (part: string) =>
    join(at, builds[0] ?? '', names.find((name) => name.includes(part)) ?? part);
  return { builds, names, path };
}

test('the first three runs of a kind keep what they compiled, and no more', async () => {
  await lsf();
  const { path, names } = await ofBuild();
  expect(names.filter((name) => name.startsWith('program-'))).toHaveLength(1);
  expect(names.filter((name) => !/\.(js|runs)$/.test(name))).toEqual([]);
  for (const runs of [1, 2, 3, 3]) {
    expect(await readFile(path('.runs'), 'utf8')).toBe('.'.repeat(runs));
    await lsf();
  }
  const { mtimeMs } = await stat(path('program-'));
  await lsf();
  expect((await stat(path('program-'))).mtimeMs).toBe(mtimeMs);
});

test('the functions that were called are in it', async () => {
  await lsf();
  const { path } = await ofBuild();
  const twice = await stat(path('program-'));
  const script = await stat(join(dist, 'chunks', basename(path('program-'))));
  // Without them it is a little smaller than the text.
  expect(twice.size / 2).toBeGreaterThan(script.size * 1.2);
});

test('a cache that is damaged, of another program, empty or a directory is as none, and is learned again', async () => {
  await lsf();
  const { path } = await ofBuild();
  const file = path('program-');
  const code = await readFile(file);
  const flipped = (at: number) => {
    const bytes = Buffer.from(code);
    bytes[at] = (bytes[at] ?? 0) ^ 16;
    return bytes;
  };
  const damaged = [
    ...[0, 32, 5000, code.length / 2 + 32, code.length - 1].map(flipped),
    ...[code.subarray(0, 1000), Buffer.alloc(code.length), Buffer.alloc(0)],
  ];
  for (const wrong of someOf(damaged, 1)) {
    for (let run = 0; run < 3; run++) await lsf();
    await writeFile(file, wrong);
    await lsf();
    expect((await readFile(file)).length).toBeGreaterThan(code.length / 2);
  }
  await cp(path('remotes-'), file);
  await lsf();
  await rm(file);
  await mkdir(file);
  await lsf();
});

testOfAll(
  'what is missing, refused by V8 or a directory is learned again, also after the first runs',
  async () => {
    for (let run = 0; run < 4; run++) await lsf();
    const { path } = await ofBuild();
    const file = path('program-');
    const { size } = await stat(file);
    const isThere = async () => {
      const found = await stat(file).catch(() => undefined);
      return found?.isFile() === true && found.size > size / 2;
    };
    await rm(file);
    await lsf();
    expect(await isThere()).toBe(true);
    await writeFile(file, Buffer.alloc(2000));
    await lsf();
    expect(await isThere()).toBe(true);
    await rm(file);
    await mkdir(file);
    await lsf();
    await lsf();
    expect(await isThere()).toBe(true);
  },
);

test('pipes in place of its files keep no program from starting or ending', async () => {
  await lsf();
  const { path } = await ofBuild();
  for (const file of [path('.runs'), path('program-')]) {
    await rm(file);
    await promisify(execFile)('mkfifo', [file]);
    await lsf();
  }
});

testOfAll('flags of V8 have a cache of their own', async () => {
  await lsf({ NODE_OPTIONS: '--stack-trace-limit=50' });
  await lsf();
  expect((await ofBuild()).builds).toHaveLength(2);
});

testOfAll(
  'a run that changes flags of V8 uses what is there, and keeps what others can use',
  async () => {
    const kept = async () => {
      const { names, path } = await ofBuild();
      return await Promise.all(names.map(async (name) => (await stat(path(name))).mtimeMs));
    };
    for (let run = 0; run < 4; run++) await lsf({}, '--memory=256M');
    const before = await kept();
    await lsf();
    await lsf({}, '--memory=256M');
    expect(await kept()).toEqual(before);
  },
);

test('a killed run leaves nothing for long, and the cache names no words of a command line', async () => {
  await lsf();
  const { path, names } = await ofBuild();
  expect(names.join()).not.toContain('lsf-files');
  const left = `${path('program-')}.123-456`;
  await writeFile(left, 'x');
  const before = Date.now() / 1000 - 7200;
  await utimes(left, before, before);
  await lsf();
  expect(existsSync(left)).toBe(false);
});

test('a relative directory, and one that others can write to, are not used', async () => {
  await lsf({ XDG_CACHE_HOME: 'relative' });
  expect(existsSync(join(dir, 'relative'))).toBe(false);
  await mkdir(compiled, { recursive: true });
  await chmod(compiled, 0o777);
  await lsf();
  expect(await readdir(compiled)).toEqual([]);
});

test('a damaged file of the program is named', async () => {
  await cp(dist, join(dir, 'dist'), { recursive: true });
  const chunks = join(dir, 'dist/chunks');
  const [program = ''] = (await readdir(chunks)).filter((name) => name.startsWith('program-'));
  for (const text of ['', 'a b', '({})']) {
    await writeFile(join(chunks, program), text);
    const words = [join(dir, 'dist/syncer.js'), 'lsf', 'files'];
    const env = { PATH: process.env['PATH'], HOME: home };
    await expect(promisify(execFile)(process.execPath, words, { cwd: dir, env })).rejects.toThrow(
      `${program} is damaged, install the program again`,
    );
  }
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

testOfAll('Node’s own variables name another directory, or none', async () => {
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
