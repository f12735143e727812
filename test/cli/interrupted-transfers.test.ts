import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { oneOfEach, someOf } from '../support/in-part.ts';
import { leftovers } from '../support/leftovers.ts';
import type { Running } from '../support/run-syncer.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
let src: string;
let dst: string;
const large = 'x'.repeat(12 * 1024 ** 2);
const tree = { 'd/large': large, 'z/small': 'new content' };
const oldTree = { 'd/large': 'old content', old: 'is not to be deleted', 'z/small': 'old content' };

beforeEach(async () => {
  world = await makeS3World();
  src = join(world.dir, 'src');
  dst = join(world.dir, 'dst');
  await writeTree(src, tree);
});
afterEach(() => world.remove());

const endings = {
  SIGINT: { code: 130, says: ['Stopped by Ctrl-C'] },
  SIGTERM: { code: 143, says: ['Stopped by SIGTERM'] },
  SIGHUP: { code: 143, says: ['the terminal was closed'] },
} as const;

/** Ends a run by a signal, and checks how it ended. */
async function interrupt(running: Running, signal: keyof typeof endings): Promise<void> {
  running.kill(signal);
  const ended = await running.ended;
  expectFailure(ended, endings[signal]);
  expect(ended.stderr).not.toContain('ERROR');
}

describe('an upload', () => {
  const inParts = ['--s3-upload-cutoff', '5M', '--s3-upload-concurrency', '1'];

  const moments = [
    ['SIGINT', 'copy', 'UploadPart', 1, inParts],
    ['SIGTERM', 'move', 'UploadPart', 2, inParts],
    ['SIGHUP', 'sync', 'CompleteMultipartUpload', 0, inParts],
    ['SIGTERM', 'copy', 'CreateMultipartUpload', 0, inParts],
    ['SIGINT', 'sync', 'PutObject', 0, []],
    ['SIGTERM', 'move', 'ListObjectsV2', 0, []],
  ] as const;
  test.each(oneOfEach(moments, ([, verb]) => verb))(
    '%s in the middle of %s, at %s %i',
    async (signal, verb, operation, nth, flags) => {
      await writeTree(world.bucket, oldTree);
      world.s3.setFaults((request, n) =>
        request.operation === operation && n >= nth ? { hang: 'before' } : undefined,
      );
      const running = world.start([verb, 'src', 'store:bucket', ...flags, '--exclude', 'z/**']);
      await waitFor(() => world.s3.log.count(operation) > nth, running.ended);
      await interrupt(running, signal);
      expect(await world.unfinishedUploads()).toEqual([]);
      expect(await world.objects()).toEqual(await treeOf(oldTree));
      expect(await readTree(src)).toEqual({ 'd/': '', 'z/': '', ...(await treeOf(tree)) });
    },
  );

  test('what a second Ctrl-C left is on the list of unfinished uploads, and nowhere else', async () => {
    await writeTree(world.bucket, oldTree);
    world.s3.setFaults(({ operation }, n) =>
      (operation === 'UploadPart' && n > 0) || operation === 'AbortMultipartUpload'
        ? { hang: 'before' }
        : undefined,
    );
    const running = world.start(['copy', 'src', 'store:bucket', ...inParts]);
    await waitFor(() => world.s3.log.count('UploadPart') > 1, running.ended);
    running.kill('SIGINT');
    await waitFor(() => world.s3.log.count('AbortMultipartUpload') > 0, running.ended);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    world.s3.setFaults(undefined);
    expect(await world.unfinishedUploads()).toEqual(['d/large']);
    expect((await world.objects())['d/large']).toMatch(/^old content@/);
    expect((await world.run(['copy', 'src', 'store:bucket', ...inParts])).code).toBe(0);
    expect((await world.run(['check', 'src', 'store:bucket', '--one-way'])).code).toBe(0);
  });

  test('of standard input leaves nothing', async () => {
    const running = world.start(['rcat', 'store:bucket/new'], { input: { open: true } });
    running.write(large);
    await waitFor(() => world.s3.log.count('UploadPart') > 0, running.ended);
    await interrupt(running, 'SIGINT');
    expect(await world.unfinishedUploads()).toEqual([]);
    expect(await world.objects()).toEqual({});
  });
});

describe('a download', () => {
  const signals = [
    ['SIGINT', 'copy'],
    ['SIGTERM', 'sync'],
    ['SIGHUP', 'move'],
  ] as const;
  test.each(someOf(signals, 1))('%s in the middle of %s', async (signal, verb) => {
    await Promise.all([writeTree(world.bucket, tree), writeTree(dst, oldTree)]);
    world.s3.setFaults(({ operation }) =>
      operation === 'GetObject' ? { hang: 'in-body', afterBytes: 5_000_000 } : undefined,
    );
    const running = world.start([verb, 'store:bucket', 'dst', '--exclude', 'z/**']);
    await waitFor(() => leftovers(dst).length > 0, running.ended);
    await interrupt(running, signal);
    expect(await readTree(dst)).toEqual({ 'd/': '', 'z/': '', ...(await treeOf(oldTree)) });
    expect(await world.objects()).toEqual(await treeOf(tree));
  });

  test('while the store asks to wait', async () => {
    await writeTree(world.bucket, tree);
    world.s3.setFaults(() => ({ status: 503, retryAfter: 3600 }));
    const running = world.start(['copy', 'store:bucket', 'dst']);
    await waitFor(() => world.s3.log.count() > 0, running.ended);
    await interrupt(running, 'SIGINT');
  });
});

describe('a copy from disk to disk', () => {
  const slowly = ['--bwlimit', '1M'];

  const signals = [
    ['SIGINT', 'copy'],
    ['SIGTERM', 'sync'],
  ] as const;
  test.each(someOf(signals, 1))('%s in the middle of %s', async (signal, verb) => {
    await writeTree(dst, oldTree);
    const running = world.start([verb, 'src', 'dst', ...slowly, '--exclude', 'z/**']);
    await waitFor(() => leftovers(dst).length > 0, running.ended);
    await interrupt(running, signal);
    expect(await readTree(dst)).toEqual({ 'd/': '', 'z/': '', ...(await treeOf(oldTree)) });
    expect(await readTree(src)).toEqual({ 'd/': '', 'z/': '', ...(await treeOf(tree)) });
  });

  test('does not wait for the kernel to copy a huge file', async () => {
    const huge = join(world.dir, 'huge');
    await mkdir(huge);
    const file = await open(join(huge, 'file'), 'w');
    await file.truncate(64 * 1024 ** 3);
    await file.close();
    await writeTree(dst, { file: 'old content' });
    const running = world.start(['copy', 'huge', 'dst']);
    await waitFor(() => leftovers(dst).length > 0, running.ended);
    await interrupt(running, 'SIGINT');
    expect(await readdir(dst)).toEqual(['file']);
  });
});

test('a move that is interrupted leaves each file on one side, whole', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `file-${i}`);
  await mkdir(join(world.dir, 'many'));
  await Promise.all(names.map((name) => writeFile(join(world.dir, 'many', name), `${name}!`)));
  world.s3.setFaults(({ operation }, n) =>
    operation === 'PutObject' && n >= 20 ? { hang: 'before' } : undefined,
  );
  const running = world.start(['move', 'many', 'store:bucket', '--delete-empty-src-dirs']);
  await waitFor(() => world.s3.log.count('PutObject') > 20, running.ended);
  await interrupt(running, 'SIGTERM');
  const [left, moved] = [await readTree(join(world.dir, 'many')), await world.objects()];
  const text = (path: string) => (left?.[path] ?? moved[path])?.replace(/@\d+$/, '');
  expect(Object.fromEntries(names.map((name) => [name, text(name)]))).toEqual(
    Object.fromEntries(names.map((name) => [name, `${name}!`])),
  );
  world.s3.setFaults(undefined);
  const again = await world.run(['move', 'many', 'store:bucket', '--delete-empty-src-dirs']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(await world.objects()).sort()).toEqual([...names].sort());
});

/** What `readTree` tells of a tree that `writeTree` wrote. */
async function treeOf(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, `${content}@1000000000`]),
  );
}
