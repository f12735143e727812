import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { type GraphWorld, makeGraphWorld } from '../support/graph-world.ts';
import { oneOfEach } from '../support/in-part.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
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

test('purge on a disk says in the statistics and in the history how much it deleted', async () => {
  await writeTree(dir, { 'tree/a': '123', 'tree/sub/b': '45', 'tree/sub/l': '-> b' });
  const { stderr } = await syncer('purge', join(dir, 'tree'), '-v', '--stats', '1m');
  expect(stderr).toMatch(/Deleted: +3 \(files\), 2 \(dirs\), 6 B \(freed\)/);
  const [run = '{}'] = (await syncer('history', '--json')).stdout.split('\n');
  expect(JSON.parse(run).result).toMatchObject({ deleted: 3 });
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

/** A command that makes content disappear. `$` is a place with three files `a`, `b` and `c` of one byte. */
interface Losing {
  readonly line: string;
  /** What comes before it. */
  readonly before?: readonly string[];
  /** Prints a line for each file that it may delete; absent: the files of `$`. */
  readonly shows?: string;
  readonly limit?: string;
  /** How many files go with this limit; absent: 1. */
  readonly goes?: number;
  /** The exit code with the limit and `--dry-run`; absent: 7. */
  readonly trial?: number;
  /** `--guard count=1` stops it. */
  readonly isGuarded?: true;
}

const TRASH = 'trash ls $';
const VERSIONS = 'versions ls $';
const ANYWHERE: readonly Losing[] = [
  { line: 'delete $', isGuarded: true },
  { line: 'delete $ --trash', isGuarded: true },
  { line: 'deletefile $/a', limit: '--max-delete 0', goes: 0 },
  { line: 'purge $', goes: 0, isGuarded: true },
  { line: 'dedupe --by-hash first $' },
  { line: 'sync @none $', isGuarded: true },
  { line: 'sync @none $ --delete-before', isGuarded: true },
  { line: 'sync @none $ --backup-dir {place}-old', isGuarded: true },
  { line: 'sync @none $ --exclude * --delete-excluded', isGuarded: true },
  { line: 'undo {run}' },
  {
    line: 'bisync @pair $ --force',
    before: ['bisync @pair $ --resync', 'delete @pair'],
    limit: '--max-delete-size 1B',
  },
  {
    line: 'trash empty $ --older-than 0s',
    before: ['delete $ --trash'],
    shows: TRASH,
    isGuarded: true,
  },
];
const ON_S3: readonly Losing[] = [
  // A trial of a move does not count, as in rclone.
  { line: 'move $ @moved', isGuarded: true, trial: 0 },
  { line: 'moveto $/a @moved', limit: '--max-delete 0', goes: 0, trial: 0 },
  { line: 'versions prune $ --keep 0', shows: VERSIONS, isGuarded: true },
  { line: 'backend cleanup-hidden $', shows: VERSIONS },
  { line: 'trash empty $ --older-than 0s', before: ['delete $'], shows: TRASH, isGuarded: true },
];

describe('a command that deletes', () => {
  const own = inProcessWorld();
  const rows = [
    // In `npm test`, each command is on one of both.
    ...ANYWHERE.flatMap((row, at) => {
      const places = at % 2 === 0 ? (['a disk', 'S3'] as const) : (['S3', 'a disk'] as const);
      return places.map((place) => [place, row.line, row] as const);
    }),
    ...ON_S3.map((row) => ['S3 with versions', row.line, row] as const),
  ];

  test.each(
    oneOfEach(rows, ([place, line]) => `${place === 'S3 with versions'} ${line.split(' ', 1)}`),
  )('stops at its limits, and deletes nothing in a trial, on %s: %s', async (place, _, row) => {
    const at = place === 'a disk' ? '@tree' : `s:bucket${own.count}`;
    const { line, before = [], shows = 'lsf -R --files-only $', limit = '--max-delete 1' } = row;
    const { goes = 1, trial = 7, isGuarded = false } = row;
    const inPlace = (words: string) => words.replace('{place}', at).replace('$', at);
    const done = async (words: string) => {
      const ended = await own.syncer(inPlace(words));
      expect(ended.code, `${words}: ${ended.stderr}`).toBe(0);
    };
    await writeTree(own.dir, {
      'from/a': 'x',
      'from/b': 'x',
      'from/c': 'x',
      'none/': '',
      'pair/': '',
    });
    await done('mkdir $');
    if (place === 'S3 with versions') await done('backend versioning $ Enabled');
    const copies = place === 'S3 with versions' && shows === VERSIONS ? 2 : 1;
    for (let n = 0; n < copies; n++) await done('copy @from $ --ignore-times');
    const run = await own.lastRun();
    for (const words of before) await done(words);
    const shown = async () => {
      const { stdout, stderr, code } = await own.syncer(inPlace(shows));
      expect(code, stderr).toBe(0);
      return stdout.split('\n').filter((text) => text !== '').length;
    };
    const first = await shown();
    expect(first).toBe(copies * 3);
    const ends = async (flags: string) => {
      const words = `${inPlace(line).replace('{run}', run)} ${flags}`;
      const { code, stderr } = await own.syncer(words);
      return { code, gone: first - (await shown()), stderr };
    };
    expect(await ends('--dry-run')).toMatchObject({ code: 0, gone: 0 });
    if (isGuarded) expect(await ends('--guard count=1')).toMatchObject({ code: 21, gone: 0 });
    const size = limit.startsWith('--max-delete-size') ? '' : '--max-delete-size 0';
    if (size !== '') expect(await ends(size)).toMatchObject({ code: 7, gone: 0 });
    expect(await ends(`${limit} --dry-run`)).toMatchObject({ code: trial, gone: 0 });
    expect(await ends(limit)).toMatchObject({ code: 7, gone: goes });
  });
});

test('cleanup of a drive deletes no more old versions than --max-delete and --max-delete-size allow', async () => {
  for (const text of ['1', '22', '333', '4444']) {
    await writeTree(dir, { f: text });
    const copied = await syncer('copy', join(dir, 'f'), 'drive0:versions', '--ignore-times');
    expect(copied.code, copied.stderr).toBe(0);
  }
  const old = () => world.graph.drive.item('versions/f').versions.length;
  expect(old()).toBe(3);
  const ends = async (...flags: string[]) => [
    (await syncer('cleanup', 'drive0:versions', ...flags)).code,
    old(),
  ];
  expect(await ends('--max-delete', '0')).toEqual([7, 3]);
  expect(await ends('--max-delete-size', '3B')).toEqual([7, 2]);
  expect(await ends('--max-delete', '1')).toEqual([7, 1]);
  expect(await ends('--max-delete', '1')).toEqual([0, 0]);
});
