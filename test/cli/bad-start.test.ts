import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pastRuns } from '../../src/state/runs.ts';
import { writeTree } from '../support/file-tree.ts';
import { ALL } from '../support/in-part.ts';
import { inState } from '../support/open-state.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
});

afterAll(() => world.remove());

test.concurrent.each([
  ['listremotes --config /dev/zero', /config file "\/dev\/zero" cannot be read: it is a device/],
  ['copy . x --config /dev/full', /config file "\/dev\/full" cannot be read: it is a device/],
  ['ls . --filter-from /dev/zero --config=', /--filter-from \/dev\/zero: .*it is a device/],
  ['config create a local --config /dev/full', /"\/dev\/full" cannot be (read|written): it is a/],
])('syncer %s is refused in one line', async (line, told) => {
  const { code, stderr } = await world.run(line.split(' '));
  expect(stderr).toMatch(told);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(code).not.toBe(0);
  expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
});

test('no configuration takes the place of a pipe', async () => {
  const pipe = join(world.dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const created = world.run(['config', 'create', 'a', 'local', '--config', pipe]);
  await writeFile(pipe, '[b]\ntype = local\n');
  const { code, stderr } = await created;
  expect(stderr).toMatch(/cannot be written: it is a pipe, socket or device/);
  expect(code).not.toBe(0);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('the wait for a configuration that a pipe never gives ends with SIGTERM', async () => {
  const pipe = join(world.dir, 'silent');
  execFileSync('mkfifo', [pipe]);
  const run = world.start(['lsf', 'a:', '--config', pipe]);
  const writer = await open(pipe, 'w');
  run.kill('SIGTERM');
  expect((await run.ended).code).toBe(143);
  await writer.close();
});

test.each([
  ['a directory', '<.', /standard input is a directory/],
  ['a file that is only open for writing', '0>out', /bad file descriptor/],
])('%s as standard input is an error, and nothing is changed', async (_, opening, told) => {
  const through = ['sh', '-c', `exec "$@" ${opening}`, 'sh'];
  const sides = { 'from/a': 'a', 'to/a': 'a', 'to/kept': 'kept', stored: 'of yesterday' };
  const lists = ['exclude-from', 'filter-from', 'files-from', 'files-from-raw', 'include-from'];
  const lines = [
    'rcat stored',
    'obscure -',
    'md5sum -',
    'checksum md5 - to',
    'copyurl --urls - to',
    'ncdu -f -',
    'config encryption set',
    'sync from to --interactive',
    ...lists.map((list) => `sync from to --${list} -`),
  ];
  const one = await makeSyncerWorld({ inOwnProcess: true });
  try {
    const first = opening === '<.' ? 0 : 1;
    for (const line of lines.filter((_line, at) => ALL || at % 2 === first)) {
      await writeTree(one.dir, sides);
      const { code, stdout, stderr } = await one.run(line.split(' '), { through });
      expect(stderr, line).toMatch(told);
      expect(code, line).toBe(1);
      if (!line.includes('interactive')) expect(String(stdout), line).toBe('');
      for (const [path, content] of Object.entries(sides))
        expect(await readFile(join(one.dir, path), 'utf8'), line).toBe(content);
    }
  } finally {
    await one.remove();
  }
});

/** Runs what follows in a working directory that is removed before. */
const INSTEAD = ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh'];

test('a copy in a working directory that was removed goes well, and is in the history', async () => {
  const [cwd, state] = [join(world.dir, 'gone'), join(world.dir, 'state')];
  await mkdir(cwd);
  await writeTree(world.dir, { 'src/f': 'x' });
  const words = ['copy', join(world.dir, 'src'), join(world.dir, 'dst')];
  const env = { XDG_STATE_HOME: state };
  const { code, stderr } = await world.run(words, { cwd, env, through: INSTEAD });
  expect(code, stderr).toBe(0);
  expect(await readFile(join(world.dir, 'dst/f'), 'utf8')).toBe('x');
  const [past] = await inState(state, (database) => pastRuns(database, 1));
  expect(past).toMatchObject({ words, dir: '', exit: 0 });
});

test('a relative path in a working directory that was removed is told in one line', async () => {
  const cwd = join(world.dir, 'gone-too');
  await mkdir(cwd);
  const line = ['lsf', 'x', '--config='];
  const { code, stderr } = await world.run(line, { cwd, through: INSTEAD });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/Failed to lsf: .*the working directory was deleted/);
  expect(code).toBe(1);
});

test.runIf(process.getuid?.() === 0)('a user whom the system does not know can copy', async () => {
  const base = await mkdtemp(join(tmpdir(), 'no-home-'));
  try {
    await writeTree(base, { 'src/f': 'x', 'to/.keep': '' });
    for (const folder of ['', 'src', 'to']) await chmod(join(base, folder), 0o777);
    const { code, stderr } = await world.run(['copy', `${base}/src`, `${base}/to`], {
      cwd: '/',
      env: { HOME: undefined, SYNCER_CONFIG: undefined },
      through: ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'],
    });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^[^\n]*NOTICE: No home directory found[^\n]*\n$/);
    expect(await readFile(join(base, 'to/f'), 'utf8')).toBe('x');
  } finally {
    await rm(base, { recursive: true });
  }
});

test.each(['/proc', '/dev/null', ''])(
  'a home that takes no files, %j, keeps nobody from copying',
  async (HOME) => {
    await writeTree(world.dir, { 'kept/f': 'x' });
    const env = { HOME, NODE_COMPILE_CACHE: undefined };
    const { code, stderr } = await world.run(['lsf', 'kept'], { env });
    expect(code, stderr).toBe(0);
  },
);
