import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { isPartialName } from '../../../../src/names/partial-name.ts';
import { openManifest } from '../../../../src/run/listing/open-reports.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { quietContext, remoteBut, remoteWith } from '../../../support/memory-world.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-manifest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const op = { signal: new AbortController().signal };
const NONE = { hashes: [] } as const;

const opened = async (source: Remote, dest: Remote, flags: object = {}) => {
  const manifest = join(folder, 'sums');
  const invocation = {
    flags: { manifest, 'manifest-hash': 'sha256', 'low-level-retries': 1, ...flags },
    ...quietContext(),
  };
  const found = await openManifest(invocation as unknown as Invocation, source, dest);
  if (found === undefined) throw new Error('no manifest');
  return { ...found, text: () => readFile(manifest, 'utf8') };
};

const file = async (remote: Remote, path: string) => (await remote.stat(path, op)) as FileEntry;
const line = (content: string, path: string) =>
  `${createHash('sha256').update(content).digest('hex')}  ${path}\n`;

/** A remote whose files nobody may read. */
const unread = (remote: Remote) =>
  remoteBut(remote, { read: () => Promise.reject(new Error('read')) });

describe('the hash of a file that was written is', () => {
  test('that of the destination, if the store has one', async () => {
    const source = unread(await remoteWith({ x: 'source' }, NONE));
    const dest = unread(await remoteWith({ 'd/y': 'dest' }, { slowHash: true }));
    const { add, close, text } = await opened(source, dest);
    await add(await file(source, 'x'), 'd/y');
    await close(true);
    expect(await text()).toBe(line('dest', 'd/y'));
  });

  test('that of the source, if it needs no transfer', async () => {
    const source = unread(await remoteWith({ x: 'source' }, { slowHash: true }));
    const dest = unread(await remoteWith({ x: 'dest' }, NONE));
    const { add, close, text } = await opened(source, dest);
    await add(await file(source, 'x'), 'x');
    await add(await file(dest, 'x'), undefined, await file(source, 'x'));
    await close(true);
    expect(await text()).toBe(line('source', 'x').repeat(2));
  });

  test('of a download of the destination, if the source is another now, or gone', async () => {
    const old = await file(await remoteWith({ x: 'source' }), 'x');
    const dest = await remoteWith({ x: 'dest' }, NONE);
    for (const source of [await remoteWith({ x: ['source', 1001] }), await remoteWith({})]) {
      const { add, close, text } = await opened(source, dest);
      await add(old, 'x');
      await close(true);
      expect(await text()).toBe(line('dest', 'x'));
    }
  });
});

test('what only the destination has is not in it', async () => {
  const dest = await remoteWith({ x: 'dest' });
  const { add, close, text } = await opened(await remoteWith({}), dest);
  await add(await file(dest, 'x'));
  await close(true);
  expect(await text()).toBe('');
});

test('it has its name when it is whole; else the one before it stays', async () => {
  await writeFile(join(folder, 'sums'), 'before');
  const dest = await remoteWith({ x: 'dest' });
  const { add, close, text } = await opened(dest, dest);
  await add(await file(dest, 'x'), 'x');
  await expect(add(await file(dest, 'x'), 'gone')).rejects.toThrow('not in the manifest');
  await add(await file(dest, 'x'), 'x');
  expect(await text()).toBe('before');
  await close(false);
  expect(await text()).toBe('before');
  expect(await readdir(folder)).toEqual(['sums']);
});

test('a directory cannot be a manifest', async () => {
  const remote = await remoteWith({});
  await mkdir(join(folder, 'sums'));
  await expect(opened(remote, remote)).rejects.toThrow('is a directory');
});

test('until it is whole, no listing shows it', async () => {
  const remote = await remoteWith({});
  const { close } = await opened(remote, remote);
  const [name = ''] = await readdir(folder);
  expect(isPartialName(name)).toBe(true);
  await close(true);
  expect(await readdir(folder)).toEqual(['sums']);
});

test.each(['whirlpool', 'none'])('%s cannot be a hash of a manifest', async (hash) => {
  const remote = await remoteWith({});
  await expect(opened(remote, remote, { 'manifest-hash': hash })).rejects.toMatchObject({
    code: 'usage',
  });
  expect(await readdir(folder)).toEqual([]);
});
