import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(() => world.remove());

/** A folder with a pipe that nobody reads, a link to it, and files. */
async function folderWithPipe(name: string): Promise<string> {
  const dir = join(world.dir, name);
  await writeTree(dir, { 'from/f': 'content', file: 'hello' });
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  await symlink('pipe', join(dir, 'link'));
  return dir;
}

test.each([
  'touch pipe',
  'rcat pipe',
  'rcat link',
  'copyto from/f pipe',
  'copyto from/f pipe -M',
  'moveto from/f pipe',
  'copyto from/f link',
])('%s leaves the pipe a pipe', async (line) => {
  const dir = await folderWithPipe(line.replaceAll(/\W/g, '-'));
  const { code, stderr } = await world.run(line.split(' '), { cwd: dir, input: 'x' });
  expect(stderr).toMatch(/is a pipe, socket or device/);
  expect(code).toBe(1);
  expect(lstatSync(join(dir, 'pipe')).isFIFO()).toBe(true);
  expect(lstatSync(join(dir, 'link')).isSymbolicLink()).toBe(true);
  expect(await readFile(join(dir, 'from/f'), 'utf8')).toBe('content');
});

test('a link that is kept as a link may be replaced wherever it leads', async () => {
  const dir = await folderWithPipe('kept');
  const { code, stderr } = await world.run(['copyto', 'from/f', 'link', '--links'], { cwd: dir });
  expect(code, stderr).toBe(0);
  expect(await readFile(join(dir, 'link'), 'utf8')).toBe('content');
  expect(lstatSync(join(dir, 'pipe')).isFIFO()).toBe(true);
});

test('a scan goes through a link to the file it leads to', async () => {
  const dir = await folderWithPipe('scan');
  await symlink('file', join(dir, 'scan'));
  expect((await world.run(['ncdu', 'from', '-o', 'scan'], { cwd: dir })).code).toBe(0);
  expect(lstatSync(join(dir, 'scan')).isSymbolicLink()).toBe(true);
  const scan = await readFile(join(dir, 'file'), 'utf8');
  expect(scan).toContain('progname');
  expect(scan).toContain(`[{"name":"${join(dir, 'from')}"`);
});

test('a list of files in a folder that is missing is told, not answered with nothing', async () => {
  const dir = await folderWithPipe('listed');
  await writeFile(join(dir, 'list'), 'f\n');
  const run = (line: string) => world.run(line.split(' '), { cwd: dir });
  expect((await run('ls missing --files-from list')).code).toBe(3);
  expect((await run('size missing --files-from list')).code).toBe(3);
  const found = await run('ls from --files-from list');
  expect([found.code, found.stdout.toString()]).toEqual([0, '        7 f\n']);
});

test('the mark that begins a file of sums is no part of the first one', async () => {
  const dir = await folderWithPipe('sums');
  const wrong = `\ufeff${'0'.repeat(32)}  file\n`;
  await writeFile(join(dir, 'sums'), wrong);
  const args = ['checksum', 'md5', 'sums', '.', '--one-way', '--include', 'file'];
  expect((await world.run(args, { cwd: dir })).code).toBe(1);
});
