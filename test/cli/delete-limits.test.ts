import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { type GraphWorld, makeGraphWorld } from '../support/graph-world.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

let world: GraphWorld;
let s3: TestS3;
let dir: string;
let count = 0;

beforeAll(async () => {
  [world, s3] = await Promise.all([
    makeGraphWorld({ drives: [{ type: 'business' }] }),
    startTestS3(),
  ]);
  await writeFile(world.config, `${section(s3)}[disk]\ntype = local\ncopy_links = true\n`, {
    flag: 'a',
  });
});

afterAll(async () => {
  await s3.stop();
  await world.remove();
});

beforeEach(async () => {
  dir = join(world.dir, `t${++count}`);
  await mkdir(dir);
});

function syncer(...words: string[]) {
  return runInProcess([...words, '--onedrive-graph-url', world.graph.graphUrl], {
    SYNCER_CONFIG: world.config,
    HOME: world.dir,
  });
}

const FILES: Tree = { a: '1', 'b.txt': '2', 'sub/c': '3', 'sub/deep/d': '4' };

describe.each(['a local disk', 'S3', 'a drive'])('purge on %s', (place) => {
  let path: string;

  beforeEach(async () => {
    await writeTree(join(dir, 'tree'), FILES);
    path = join(dir, 'tree');
    if (place === 'a local disk') return;
    path = place === 'S3' ? `store:bucket${count}/tree` : `drive0:tree${count}`;
    expect((await syncer('copy', join(dir, 'tree'), path)).code).toBe(0);
  });

  const left = async () => {
    const { stdout } = await syncer('lsf', '-R', '--files-only', path);
    return stdout.split('\n').filter(Boolean).length;
  };

  test.each([
    ['--max-delete 0', 7],
    ['--max-delete 3', 7],
    ['--max-delete 3 --dry-run', 7],
    ['--include *.txt', 1],
    ['--exclude *.txt', 1],
    ['--min-size 1k', 1],
    ['--max-age 1d', 1],
    ['--exclude-if-present a', 1],
    ['--files-from /dev/null', 1],
    ['--max-depth 2', 1],
  ])('with %s deletes nothing', async (flags, code) => {
    const ended = await syncer('purge', path, ...flags.split(' '));
    expect([ended.code, await left()], ended.stderr).toEqual([code, 4]);
  });

  test.each(['--max-delete 4', '--max-delete -1', '--max-depth 3', '--max-size off'])(
    'with %s deletes all',
    async (flags) => {
      const ended = await syncer('purge', path, ...flags.split(' '));
      expect([ended.code, await left()], ended.stderr).toEqual([0, 0]);
    },
  );
});

test('purge refuses filters in the words of rclone, also through an alias and by a variable', async () => {
  await writeTree(dir, FILES);
  const alias = `:alias,remote="${dir}":sub`;
  const why = 'filters are not supported with purge (purge will delete everything unconditionally)';
  expect(await syncer('purge', alias, '--include', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(why),
  });
  const env = { SYNCER_CONFIG: world.config, RCLONE_EXCLUDE: 'x' };
  expect(await runInProcess(['purge', alias], env)).toMatchObject({ code: 1 });
  expect((await syncer('purge', alias, '--max-delete', '1')).code).toBe(7);
  expect(Object.keys((await readTree(dir)) ?? {})).toContain('sub/deep/d');
});

test('purge counts links, which it deletes, too', async () => {
  await writeTree(dir, { 'tree/l': '-> nowhere', 'tree/m': '-> l' });
  for (const path of [join(dir, 'tree'), `:alias,remote="${dir}":tree`]) {
    expect((await syncer('purge', path, '--max-delete', '1')).code).toBe(7);
  }
  expect(Object.keys((await readTree(dir)) ?? {})).toHaveLength(3);
});

test('dedupe deletes no more than --max-delete of all groups together', async () => {
  await writeTree(dir, { a: '1', b: '1', c: '2', d: '2' });
  expect((await syncer('dedupe', '--by-hash', 'first', dir, '--max-delete', '1')).code).toBe(7);
  expect(Object.keys((await readTree(dir)) ?? {})).toHaveLength(3);
});

test('dedupe says how many copies it has deleted', async () => {
  await writeTree(dir, { a: '1', b: '1', c: '1' });
  const line = ['dedupe', '--by-hash', 'first', dir];
  expect((await syncer(...line, '--dry-run')).stderr).not.toContain('Deleted');
  const limited = await syncer(...line, '--max-delete', '1');
  expect(limited.stderr).toContain('Deleted 1 extra copies');
  expect(Object.keys((await readTree(dir)) ?? {})).toHaveLength(2);
});

test('dedupe does not take a link and its target for two files through an alias', async () => {
  await writeTree(dir, { f: 'once', l: '-> f' });
  const alias = `:alias,remote="disk:${dir}":`;
  expect((await syncer('dedupe', '--by-hash', 'first', alias)).code).toBe(0);
  expect(Object.keys((await readTree(dir)) ?? {}).sort()).toEqual(['f', 'l']);
});
