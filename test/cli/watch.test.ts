import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { someOf, testOfAll } from '../support/in-part.ts';
import { randomFrom } from '../support/random-from.ts';
import type { Running } from '../support/run-syncer.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

let world: S3World;
let src: string;
const running: Running[] = [];
beforeEach(async () => {
  world = await makeS3World();
  src = join(world.dir, 'src');
});
afterEach(async () => {
  for (const one of running.splice(0)) one.kill('SIGKILL');
  await world.remove();
});

const FLAGS = ['--watch', '--watch-delay', '100ms', '-v'];

function watching(...args: string[]): Running {
  return watchingThrough([], ...args);
}

function watchingThrough(through: readonly string[], ...args: string[]): Running {
  const started = world.start([...args, ...FLAGS], { through });
  running.push(started);
  return started;
}

const seen = ({ seen: { stderr } }: Running) => stderr;

test('a sync follows random changes, and asks only for the directories that changed', async () => {
  await writeTree(src, { 'a/1': 'one', 'a/b/2': 'two', 'far/3': 'three' });
  const run = watching('sync', 'src', 'store:bucket');
  await expect.poll(async () => Object.keys(await world.objects())).toHaveLength(3);
  const pick = randomFrom(7);
  const path = () => join(src, ...Array.from({ length: 1 + pick(3) }, () => 'abc'[pick(3)] ?? 'a'));
  for (let i = 0; i < 120; i++) {
    const [one, other] = [path(), path()];
    const act = [
      () => mkdir(one, { recursive: true }),
      () => rm(one, { recursive: true, force: true }),
      () => rename(one, other),
      () => mkdir(dirname(one), { recursive: true }),
      () => writeFile(one, `${i}`),
      () => writeFile(one, `again ${i}`),
    ][pick(6)];
    // Many of them cannot be: a file is in the way, or nothing is there.
    await act?.().catch(() => {});
    if (i % 30 === 29) await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await writeFile(join(src, 'last'), 'last');
  await expect.poll(async () => contents(await world.objects())).toEqual(contents(await filesOf()));
  world.s3.log.clear();
  await writeFile(join(src, 'far/4'), 'four');
  await expect.poll(async () => Object.keys(await world.objects())).toContain('far/4');
  // The root and the directory, not the two others.
  expect(world.s3.log.count('ListObjectsV2')).toBe(2);
  run.kill('SIGINT');
  expectFailure(await run.ended, { code: 130, says: ['Stopped by Ctrl-C'] });
});

async function filesOf(): Promise<Record<string, string>> {
  const tree = Object.entries((await readTree(src)) ?? {});
  return Object.fromEntries(tree.filter(([name]) => !name.endsWith('/')));
}

const contents = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replace(/@\d+$/, '')]),
  );

test('a run that fails is repeated; what it was to do is not forgotten', async () => {
  await writeTree(src, { a: 'a' });
  const run = watching('copy', 'src', 'store:bucket', '--retries', '1', '--low-level-retries', '1');
  await expect.poll(async () => Object.keys(await world.objects())).toEqual(['a']);
  world.s3.setFaults(({ operation }) => (operation === 'PutObject' ? { status: 403 } : undefined));
  await writeFile(join(src, 'b'), 'b');
  await expect.poll(() => seen(run)).toContain('the next run is in 5 seconds');
  world.s3.setFaults(() => undefined);
  await expect.poll(async () => Object.keys(await world.objects())).toEqual(['a', 'b']);
});

test('what the system dropped in a flood of changes is found', async () => {
  await writeTree(src, { 'a/sub/f': 'f', 'other/1': '1' });
  const run = watching('sync', 'src', 'dst');
  const copied = async () => Object.keys((await readTree(join(world.dir, 'dst'))) ?? {});
  await expect.poll(copied).toContain('other/1');
  run.kill('SIGSTOP');
  for (let i = 0; i < 20_000; i++) closeSync(openSync(join(src, 'other', `${i % 2}`), 'w'));
  await rename(join(src, 'a'), join(src, 'b'));
  await mkdir(join(src, 'new'));
  await writeFile(join(src, 'new/f'), 'f');
  run.kill('SIGCONT');
  await expect.poll(copied).toEqual(expect.arrayContaining(['b/sub/f', 'new/f']));
  // Deletions come last.
  await expect.poll(copied).not.toContain('a/sub/f');
  await writeFile(join(src, 'new/later'), 'later');
  await expect.poll(copied).toContain('new/later');
});

testOfAll(
  'what the system dropped in a flood of changes in a directory that was moved is found',
  async () => {
    await writeTree(src, { 'a/f': 'f', 'other/1': '1' });
    const run = watching('sync', 'src', 'dst');
    const copied = async () => Object.keys((await readTree(join(world.dir, 'dst'))) ?? {});
    await expect.poll(copied).toEqual(expect.arrayContaining(['a/f', 'other/1']));
    run.kill('SIGSTOP');
    await rename(join(src, 'a'), join(src, 'b'));
    for (let i = 0; i < 20_000; i++) closeSync(openSync(join(src, 'b', `${i % 2}`), 'w'));
    await writeFile(join(src, 'other/2'), '2');
    run.kill('SIGCONT');
    await expect.poll(copied).toEqual(expect.arrayContaining(['b/f', 'other/2']));
  },
);

test('a root that was away is watched whole again; a marker file decides about all below', async () => {
  await writeTree(src, { 'd/.no': '', 'd/a': 'a', 'd/e/f/b': 'b', c: 'c' });
  watching('sync', 'src', 'dst', '--exclude-if-present', '.no', '--watch-delay', '1s');
  const copied = async () => {
    const tree = (await readTree(join(world.dir, 'dst'))) ?? {};
    return Object.keys(tree)
      .filter((name) => !name.endsWith('/'))
      .sort();
  };
  await expect.poll(copied).toEqual(['c']);
  await rename(src, `${src}-away`);
  await mkdir(join(`${src}-away`, 'new'));
  await rename(`${src}-away`, src);
  await writeFile(join(src, 'c2'), 'c2');
  await expect.poll(copied).toEqual(['c', 'c2']);
  await writeFile(join(src, 'new/f'), 'f');
  await expect.poll(copied).toEqual(['c', 'c2', 'new/f']);
  await rm(join(src, 'd/.no'));
  await expect.poll(copied).toEqual(['c', 'c2', 'd/a', 'd/e/f/b', 'new/f']);
});

test('a directory that the destination has in another Unicode form is looked at, too', async () => {
  const [composed, decomposed] = ['\u00e4', 'a\u0308'];
  await writeTree(src, { [`${composed}/sub/f`]: 'f', last: '1' });
  watching('sync', 'src', 'dst');
  const dst = join(world.dir, 'dst');
  const copied = async () => Object.keys((await readTree(dst)) ?? {});
  await expect.poll(copied).toContain(`${composed}/sub/f`);
  // The destination keeps the name that it has.
  await rename(join(src, composed), join(src, decomposed));
  await writeFile(join(src, 'last'), 'moved');
  await expect.poll(async () => (await readTree(dst))?.['last']).toMatch(/^moved/);
  await writeFile(join(src, decomposed, 'sub/new'), 'new');
  await expect.poll(copied).toContain(`${decomposed}/sub/new`);
  expect(await copied()).not.toContain(`${decomposed}/sub/f`);
  await rm(join(src, decomposed, 'sub/f'));
  await expect.poll(copied).not.toContain(`${composed}/sub/f`);
});

test.skipIf(withoutPrivileges === undefined)('a directory may become unreadable', async () => {
  await writeTree(src, { 'd/a': 'a' });
  const run = watchingThrough(withoutPrivileges ?? [], 'sync', 'src', 'dst');
  const copied = async () => Object.keys((await readTree(join(world.dir, 'dst'))) ?? {});
  await expect.poll(copied).toContain('d/a');
  run.kill('SIGSTOP');
  await writeFile(join(src, 'd/b'), 'b');
  await chmod(join(src, 'd'), 0o600);
  run.kill('SIGCONT');
  await expect.poll(() => seen(run)).toContain('the next run is in 5 seconds');
  await chmod(join(src, 'd'), 0o755);
  await expect.poll(copied).toContain('d/b');
  await writeFile(join(src, 'd/c'), 'c');
  await expect.poll(copied).toContain('d/c');
});

test('a source that is replaced by an empty directory deletes nothing', async () => {
  await writeTree(src, { a: 'a' });
  const run = watching('sync', 'src', 'store:bucket');
  await expect.poll(async () => Object.keys(await world.objects())).toEqual(['a']);
  await rename(src, `${src}-gone`);
  await mkdir(src);
  await writeFile(join(src, 'new'), 'new');
  expectFailure(await run.ended, { code: 7, says: ['the root is another directory now'] });
  expect(Object.keys(await world.objects())).toEqual(['a']);
  expect(await readdir(src)).toEqual(['new']);
});

const MADE_AGAIN: readonly (readonly [when: string, changes: number])[] = [
  ['', 0],
  [', after more changes than the system keeps', 20_000],
];

test.each(someOf(MADE_AGAIN, 1))(
  'a source that is removed and made again deletes nothing%s',
  async (_, changes) => {
    await writeTree(src, { a: 'a', 'sub/b': 'b' });
    const run = watching('sync', 'src', 'dst');
    const copied = async () => Object.keys((await readTree(join(world.dir, 'dst'))) ?? {}).sort();
    await expect.poll(copied).toEqual(['a', 'sub/', 'sub/b']);
    run.kill('SIGSTOP');
    for (let i = 0; i < changes; i++) closeSync(openSync(join(src, `${i % 2}`), 'w'));
    await rm(src, { recursive: true });
    // It may have the number of the one before.
    await mkdir(src);
    run.kill('SIGCONT');
    expectFailure(await run.ended, { code: 7, says: ['the root is another directory now'] });
    expect(await copied()).toEqual(['a', 'sub/', 'sub/b']);
  },
);

test.each([
  [['copy', 'store:bucket', 'dst'], 'cannot watch S3 bucket bucket: use a timer'],
  [['copy', 'src/a', 'dst'], "can't use --watch with a file"],
  [['sync', 'src', 'dst', '--review'], "can't use --watch with --review"],
  [['sync', 'src', 'dst', '--min-age', '1m'], "can't use --watch with --min-age"],
  [['sync', 'src', 'dst', '--manifest', 'x'], "can't use --watch with --manifest"],
])('%j is refused', async (args, says) => {
  await writeTree(src, { a: 'a' });
  const ended = await world.run([...args, '--watch']);
  expectFailure(ended, { code: 1, says: [says] });
  expect(await readTree(join(world.dir, 'dst'))).toBeUndefined();
});
