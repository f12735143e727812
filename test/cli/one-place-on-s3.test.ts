import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownMark } from '../../src/system/owner-state.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { type Forward, forwardTo } from '../support/forward-to.ts';
import { someOf } from '../support/in-part.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';
import { markOfDeadProcess } from '../unit/core/dead-process.ts';

const TREE: Tree = { a: 'one', 'p/b': 'two', 'p/deep/c': 'three', 'p/a': 'four' };

let base: string;
let s3: TestS3;
let behind: Forward;
const TWO = ['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '127.0.0.2', 'localhost.'] as const;
/** The folder of a bucket of its own, which names call `bkt`. */
let bucket: string;
let made = 0;
const named = (spec: string) =>
  spec
    .replace('LOCAL', join(bucket, 'd'))
    .replace('BUCKET', bucket)
    .replace(':bkt', `:${basename(bucket)}`);

async function newBucket(): Promise<void> {
  bucket = join(s3.root, `bkt${++made}`);
  await writeTree(join(bucket, 'd'), TREE);
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-place-'));
  s3 = await startTestS3();
  behind = await forwardTo(Number(new URL(s3.endpoint).port));
  const port = new URL(s3.endpoint).port;
  const other = (host: string) => ({ endpoint: `http://${host}:${port}` });
  const styled = { force_path_style: 'true' };
  await writeFile(
    join(base, 'syncer.conf'),
    [
      section(s3, 's'),
      section(s3, 't'),
      section(s3, 'region', { region: 'eu-west-7' }),
      section({ ...s3, endpoint: behind.endpoint }, 'behind'),
      section(s3, 'named', { ...other(hostname()), ...styled }),
      ...TWO.map((host, number) => section(s3, `h${number}`, { ...other(host), ...styled })),
      `[al]\ntype = alias\nremote = s:\n`,
    ].join('\n'),
  );
});

/** `localhost.` and 127.0.0.2 are not, everywhere. */
const isReachable = (name: string) => !/^(?:h[45]|named):/.test(name);
afterAll(async () => {
  behind.close();
  await s3.stop();
  await rm(base, { recursive: true, force: true });
});

async function run(line: readonly string[]) {
  return runInProcess([...line, '--retries', '1'], {
    PATH: process.env['PATH'],
    HOME: base,
    SYNCER_CONFIG: join(base, 'syncer.conf'),
  });
}

const NAMES: readonly (readonly [string, string])[] = [
  ['s:bkt/d', 't:bkt/d'],
  ['s:bkt/d', 'region:bkt/d'],
  ['s:bkt/d', 's,region=x:bkt/d'],
  ['s,region=x:bkt/d', 's:bkt/d'],
  ['s:bkt/d', 'al:bkt/d'],
  ['s:bkt/d', 'behind:bkt/d'],
  ['behind:bkt/d', 's:bkt/d'],
  ...TWO.map((_, number) => ['s:bkt/d', `h${number}:bkt/d`] as const),
  ['LOCAL', 's:bkt/d'],
  ['s:bkt/d', 'LOCAL'],
  ['LOCAL', 'h1:bkt/d'],
  ['LOCAL', 'named:bkt/d'],
];

it.each(someOf(NAMES, 3))('a move of %s to %s leaves everything there', async (from, to) => {
  await newBucket();
  const [source, dest, local] = [named(from), named(to), join(bucket, 'd')];
  const names = Object.keys(TREE);
  const flags = [
    [],
    ['--checksum'],
    ['--ignore-times'],
    ['--no-check-dest'],
    ['--disable', 'Copy'],
  ];
  for (const flag of flags) {
    for (const [what, where] of [
      [source, dest],
      [`${source}/a`, dest],
    ]) {
      const { code, stderr } = await run(['move', what ?? '', where ?? '', ...flag]);
      if (isReachable(from) && isReachable(to)) expect([0, 7], stderr).toContain(code);
      const left = Object.keys((await readTree(local)) ?? {});
      expect(left, `${flag} ${stderr}`).toEqual(expect.arrayContaining(names));
      expect(left.filter((name) => name.includes('partial'))).toEqual([]);
    }
  }
});

it.each([
  ['s:bkt/d', 'behind:bkt/new'],
  ['s:bkt/d', 't:bkt/new'],
  ['s:bkt/d', 'BUCKET/new'],
  ['LOCAL', 's:bkt/new'],
  ['LOCAL', 'behind:bkt/new'],
])('a move of %s to %s, which is another place, goes as ever', async (from, to) => {
  await newBucket();
  const ended = await run(['move', named(from), named(to)]);
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
  const names = Object.keys((await readTree(bucket)) ?? {}).filter((path) => !path.endsWith('/'));
  const moved = Object.keys(TREE).map((path) => `new/${path}`);
  expect(names.filter((path) => !path.startsWith('.syncer-s3')).sort()).toEqual(moved.sort());
});

it.each([
  ['sync', 's:bkt/d', 't:bkt/d'],
  ['sync', 's:bkt/d/p', 't:bkt/d'],
  ['sync', 's:bkt/d', 'h1:bkt/d/sub'],
  ['move', 's:bkt', 't:bkt/d'],
])('%s %s %s is refused', async (command, source, dest) => {
  await newBucket();
  const before = await readTree(join(bucket, 'd'));
  expect(await run([command, named(source), named(dest)])).toMatchObject({ code: 7 });
  expect(await readTree(join(bucket, 'd'))).toEqual(before);
});

it.each([
  ['BUCKET/from', 's:bkt/d', 's:bkt/from'],
  ['BUCKET/from/p/a', 's:bkt/d/p', 's:bkt/from/p'],
  ['s:bkt/from', 'LOCAL', 'BUCKET/from'],
  ['behind:bkt/from', 's:bkt/d', 's:bkt/from'],
])('a copy of %s to %s with its backup in %s, the source, replaces nothing', async (...sides) => {
  await newBucket();
  const newer = { a: 'one, newer', 'p/a': 'four, newer' };
  await writeTree(join(bucket, 'from'), newer);
  const before = await readTree(bucket);
  const [from, to, backup] = sides.map(named);
  const line = ['copy', from ?? '', to ?? '', '--backup-dir'];
  expect(await run([...line, backup ?? ''])).toMatchObject({ code: 7 });
  expect(await readTree(bucket)).toMatchObject(before ?? {});
  expect(await run([...line, `${backup}-old`])).toMatchObject({ code: 0 });
});

it('a backup that the filter excludes from the source, or of one file beside it, is allowed', async () => {
  await newBucket();
  await writeTree(bucket, { 'd/bk/x': 'x', 'dst/a': 'older', 'old/': '' });
  await utimes(join(bucket, 'd'), 1, 1);
  const within = ['sync', named('LOCAL'), named('s:bkt/dst'), '--backup-dir', named('s:bkt/d/bk')];
  expect(await run([...within, '--exclude', '/bk/**'])).toMatchObject({ code: 0 });
  expect(await readTree(join(bucket, 'd/bk'))).toMatchObject({ a: expect.stringMatching(/^old/) });
  await writeFile(join(bucket, 'dst/a'), 'oldest');
  const one = ['copyto', named('LOCAL/a'), named('s:bkt/dst/a'), '--backup-dir'];
  expect(await run([...one, named('s:bkt/old')])).toMatchObject({ code: 0 });
  // Nothing is tried where nothing is replaced.
  const from = s3.log.requests.length;
  expect(await run([...one, named('s:bkt/old')])).toMatchObject({ code: 0 });
  expect(
    s3.log.requests.slice(from).filter(({ method }) => method !== 'GET' && method !== 'HEAD'),
  ).toEqual([]);
});

it('a filter that excludes what the backup would replace does not allow it', async () => {
  await newBucket();
  await mkdir(join(base, `far${made}`));
  await writeTree(join(base, `far${made}`), { 'p/b': 'stale' });
  const line = ['sync', named('LOCAL/p'), join(base, `far${made}`), '--backup-dir', named('LOCAL')];
  const other = [
    'sync',
    named('s:bkt/d/p'),
    join(base, `far${made}`),
    '--backup-dir',
    named('LOCAL'),
  ];
  for (const each of [line, other])
    expect(await run([...each, '--exclude', '/p/**', '--delete-excluded'])).toMatchObject({
      code: 7,
    });
  expect(await readTree(join(bucket, 'd'))).toMatchObject({ 'p/b': expect.stringMatching(/^two/) });
});

it.each([
  ['s:bkt/d', 'OUT', 'LOCAL', '--exclude', 'a', '--delete-excluded'],
  ['s:bkt/d', 'OUT', 'LOCAL', '--suffix', '.old'],
  ['LOCAL', 's:bkt/dst', 's:bkt/d', '--exclude', 'a', '--delete-excluded'],
  ['LOCAL/p', 's:bkt/dst', 's:bkt/d'],
])(
  'a sync of %s to %s that would delete into %s, the source, %s',
  async (from, to, backup, ...flags) => {
    await newBucket();
    const out = join(base, `out${made}`);
    const dest = to === 'OUT' ? out : join(bucket, 'dst');
    await writeTree(dest, { a: 'stale', b: 'extra' });
    await writeTree(join(bucket, 'd'), { 'b.old': 'the only copy' });
    const before = await readTree(join(bucket, 'd'));
    const line = [
      'sync',
      named(from),
      to === 'OUT' ? out : named(to),
      '--backup-dir',
      named(backup),
    ];
    expect(await run([...line, ...flags])).toMatchObject({ code: 7 });
    expect(await readTree(join(bucket, 'd'))).toEqual(before);
  },
);

it.each([
  ['LOCAL', 's:bkt'],
  ['LOCAL/p', 's:bkt/d'],
  ['s:bkt/d/p', 'behind:bkt'],
  ['s:bkt/d/p', 'BUCKET'],
])('a sync of %s to %s deletes nothing of its source', async (source, dest) => {
  await newBucket();
  await run(['sync', named(source), named(dest)]);
  expect(Object.keys((await readTree(join(bucket, 'd'))) ?? {})).toEqual(
    expect.arrayContaining(Object.keys(TREE).filter((path) => path.startsWith('p/'))),
  );
});

it.each([
  ['s:', 'LOCAL'],
  ['s:', 'link'],
  ['s:bkt', 'link'],
  ['behind:bkt', 's:bkt/d'],
])('a sync of %s to %s, which it shows, deletes nothing', async (source, dest) => {
  await newBucket();
  const link = join(base, `link${made}`);
  await symlink(join(bucket, 'd'), link);
  const before = await readTree(join(bucket, 'd'));
  const line = ['sync', named(source), named(dest).replace(/^link$/, link), '--delete-before'];
  expect(await run(line)).toMatchObject({ code: 7 });
  expect(await readTree(join(bucket, 'd'))).toEqual(before);
});

it.each([
  ['s:bkt', 'BUCKET', '--delete-excluded', '--include', '*.none'],
  ['BUCKET', 's:bkt', '--delete-excluded', '--include', '*.none'],
  ['SERVED', 's:', '--delete-excluded', '--min-size', '1M', '--allow-bucket-deletes', '*'],
  ['s:', 'SERVED', '--delete-excluded', '--min-size', '1M'],
  ['s:bkt', 'BUCKET'],
  ['BUCKET/empty', 's:bkt'],
  ['SERVED', 's:bkt'],
  ['SERVED', 's:bkt/new'],
  ['s:bkt/nope', 'BUCKET'],
  ['s:', 'SERVED'],
  ['s:', 'BUCKET/new'],
  ['s:bkt', 'BUCKET/missing'],
  ['s:bkt/empty', 'BUCKET'],
])(
  'a sync of %s to %s %s, which are one place, changes nothing',
  async (source, dest, ...flags) => {
    await newBucket();
    await writeTree(bucket, { '.syncer-s3/versions/d/a': 'old', 'empty/': '' });
    const names = async () =>
      Object.keys((await readTree(bucket)) ?? {}).filter(
        (path) => !/records\.log$|\.syncer-s3\/tmp\/$/.test(path),
      );
    await writeFile(join(s3.root, 'in-no-bucket'), 'hidden');
    const before = await names();
    const [from, to] = [source, dest].map((spec) => named(spec).replace('SERVED', s3.root));
    expect(await run(['sync', from ?? '', to ?? '', ...flags])).toMatchObject({ code: 7 });
    expect(await names()).toEqual(before);
    await rm(join(s3.root, 'in-no-bucket'));
  },
);

const onlyOf = (tree: Tree | undefined) =>
  Object.keys(tree ?? {}).filter((name) => !name.includes('.syncer-s3'));

it('a directory that the server hides says nothing of the others', async () => {
  await newBucket();
  const shown = { 'z/y/x/one': '1', 'z/y/x/two': '2' };
  await rm(join(bucket, 'd'), { recursive: true });
  await writeTree(bucket, { '.syncer-s3/first': 'hidden', ...shown });
  await run(['move', bucket, named('s:bkt')]);
  expect(onlyOf(await readTree(bucket))).toEqual(expect.arrayContaining(Object.keys(shown)));
});

it('a server that hides names with a dot is seen through', async () => {
  await newBucket();
  s3.setFaults(({ key }) => (/(?:^|\/)\.[^/]*$/.test(key) ? { status: 404 } : undefined));
  const { code } = await run(['move', named('LOCAL'), named('s:bkt/d')]);
  s3.setFaults(undefined);
  expect(code).toBe(7);
  expect(onlyOf(await readTree(join(bucket, 'd')))).toEqual(
    expect.arrayContaining(Object.keys(TREE)),
  );
});

it('a source with a link that the server does not follow is recognized by its other directories', async () => {
  await newBucket();
  await writeTree(bucket, { 'one-directory/p': 'p', 'one-directory/q': 'q' });
  const far = join(base, `far${made}`);
  await writeTree(far, { 'a-directory-elsewhere/with-the-longest-name-of-all': 'far' });
  await rm(join(bucket, 'd'), { recursive: true });
  await symlink(far, join(bucket, 'one-link'));
  await run(['sync', '-L', bucket, 's:']);
  expect(onlyOf(await readTree(bucket))).toEqual(
    expect.arrayContaining(['one-directory/p', 'one-directory/q']),
  );
});

it('an empty file by which a killed run tried that is no part of any run', async () => {
  await newBucket();
  const left = 'd/p/syncer-partial-00000000-nyg-15sgy-2f03b9ad5';
  await writeTree(bucket, { [left]: '' });
  await run(['copy', named('s:bkt/d'), named('s:bkt/new')]);
  expect(await run(['check', named('s:bkt/d'), named('s:bkt/new')])).toMatchObject({ code: 0 });
  const names = onlyOf(await readTree(bucket)).filter((path) => path.includes('syncer-partial'));
  expect(names).toEqual([left]);
});

const DEAD = `p/syncer-partial-${markOfDeadProcess()}-2f03b9ad5`;
/** Not what a killed run of this machine left: with content, of another machine, of this process, or by another name. */
const OTHERS: Tree = {
  [`${DEAD}1`]: 'content',
  'p/syncer-partial-00000000-nyg-15sgy-2f03b9ad5': '',
  [`p/syncer-partial-${ownMark()}-0`]: '',
  [`p/x.${basename(DEAD)}`]: '',
  [`${DEAD}-0`]: '',
};

it.each([
  ['copy', 'BUCKET/from', 's:bkt/d'],
  ['copy', 'BUCKET/from', 's:bkt/d', '--fast-list'],
  ['move', 's:bkt/d', 's:bkt/new'],
  ['cleanup', 's:bkt/d'],
])('what a killed run left of a trial is deleted: %s %s %s', async (...line) => {
  await newBucket();
  await writeTree(bucket, { 'from/p/a': 'new' });
  await writeTree(join(bucket, 'd'), { ...OTHERS, [DEAD]: '' });
  const isLeft = async () => DEAD in ((await readTree(join(bucket, 'd'))) ?? {});
  await run([...line.map(named), '--dry-run']);
  await run(['check', named('s:bkt/d'), named('s:bkt/d')]);
  expect(await isLeft()).toBe(true);
  expect(await run(line.map(named))).toMatchObject({ code: 0 });
  expect(await isLeft()).toBe(false);
  const names = onlyOf(await readTree(bucket)).map((path) => path.replace(/^(?:d|new)\//, ''));
  expect(names).toEqual(expect.arrayContaining(Object.keys(OTHERS)));
});
