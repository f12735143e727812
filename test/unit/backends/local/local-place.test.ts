import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { overlap } from '../../../../src/engine/place/overlap.ts';
import { canMount } from '../../../support/mount-disk.ts';

const op = { signal: new AbortController().signal };
let dir: string;
const mounted: string[] = [];

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'syncer-test-place-')));
});
afterEach(async () => {
  for (const point of mounted.splice(0).reverse()) execFileSync('umount', ['-l', point]);
  await rm(dir, { recursive: true, force: true });
});

async function bind(from: string, to: string): Promise<void> {
  for (const path of [from, to]) await mkdir(join(dir, path), { recursive: true });
  execFileSync('mount', ['--bind', join(dir, from), join(dir, to)]);
  mounted.push(join(dir, to));
}

const atRoot = (root: string, options: Readonly<Record<string, string>> = {}) =>
  localRemote(localSettings({ name: '', root, options }), {
    signal: op.signal,
    clock: systemClock,
    emit: () => {},
  });
const at = (root: string, options: Readonly<Record<string, string>> = {}) =>
  atRoot(join(dir, root), options);
const lie = (source: string, dest: string, options = {}) =>
  overlap(at(source, options), at(dest, options), op);
const fileId = (path: string, options = {}) => at('', options).can.place?.fileId?.(path);

test('what does not exist is known by where it would be', async () => {
  await mkdir(join(dir, 'a'));
  await symlink('a', join(dir, 'l'));
  expect(await lie('a/x/y', 'l/x/y')).toEqual({ how: 'same', way: '' });
  expect(await lie('a', 'l/x/y')).toEqual({ how: 'dest-in-source', way: 'x/y' });
  expect(await lie('l/x/y', 'a/x')).toEqual({ how: 'source-in-dest', way: 'y' });
  expect(await lie('a/x', 'l/y')).toMatchObject({ how: 'apart' });
  expect(await lie('a/x', 'l/x2')).toMatchObject({ how: 'apart' });
  expect(await lie('a/X', 'l/x')).toMatchObject({ how: 'apart' });
  expect(await lie('a/X', 'l/x', { case_insensitive: 'true' })).toMatchObject({ how: 'same' });
});

test('what does not exist directly below the top is not the top', async () => {
  await symlink('/', join(dir, 'top'));
  const missing = 'syncer-test-missing/a';
  const way = await overlap(at('top'), atRoot(`/${missing}`), op);
  expect(way).toEqual({ how: 'dest-in-source', way: missing });
});

test('a name of bytes that are no UTF-8 is followed', async () => {
  await mkdir(join(dir, 'a'));
  await symlink('a', Buffer.from(`${dir}/l\xff`, 'latin1'));
  expect(await lie('a', 'l\udcff')).toMatchObject({ how: 'same' });
});

test.skipIf(!canMount)('mounts are followed both ways', async () => {
  await bind('src/sub', 'm');
  await mkdir(join(dir, 'apart'));
  expect(await lie('src', 'm/new')).toEqual({ how: 'dest-in-source', way: 'sub/new' });
  expect(await lie('m', 'src')).toEqual({ how: 'source-in-dest', way: 'sub' });
  await bind('src', 'outer/in');
  expect(await lie('outer', 'src/sub')).toEqual({ how: 'dest-in-source', way: 'in/sub' });
  expect(await lie('outer', 'apart')).toMatchObject({ how: 'apart' });
  // What does not exist holds no mounts, whatever its parent holds.
  expect(await lie('new', 'src')).toMatchObject({ how: 'apart' });
  // A run that stays on its file system does not walk into them.
  expect(await lie('outer', 'src/sub', { one_file_system: 'true' })).toMatchObject({
    how: 'apart',
  });
});

test('a file is told by its inode, and by directory and name where it has several', async () => {
  await mkdir(join(dir, 'd'));
  await writeFile(join(dir, 'd/a'), '');
  await writeFile(join(dir, 'b'), '');
  await symlink('d', join(dir, 'e'));
  await symlink('d/a', join(dir, 'l'));
  expect(fileId('e/a')).toBe(fileId('d/a'));
  expect(fileId('b')).not.toBe(fileId('d/a'));
  expect(fileId('l')).not.toBe(fileId('d/a'));
  expect(fileId('l', { copy_links: 'true' })).toBe(fileId('d/a', { copy_links: 'true' }));
  expect(fileId('none')).toBeUndefined();
  await link(join(dir, 'd/a'), join(dir, 'c'));
  expect(fileId('c')).not.toBe(fileId('d/a'));
  expect(fileId('e/a')).toBe(fileId('d/a'));
  expect(fileId('l', { copy_links: 'true' })).toBe(fileId('d/a', { copy_links: 'true' }));
});
