import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTar } from '../../../scripts/release/package/write-tar.ts';
import { NODE_VERSION, PLATFORMS } from '../../../scripts/release/platforms.ts';
import { checksumList } from '../../../scripts/release/release-files.ts';

const root = resolve(import.meta.dirname, '../../..');

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-packages-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('tar reads what is written: sorted, owned by root, with long names', async () => {
  const long = `${'folder/'.repeat(18)}file`;
  const files = [
    { path: 'z', content: 'last', mode: 0o755 },
    { path: long, content: 'x'.repeat(513) },
    { path: 'a/b', content: '' },
  ];
  const path = join(dir, 'x.tar');
  writeFileSync(path, await writeTar(files, 'top/', 86_400));
  const list = run('tar', '--utc', '--full-time', '-tvf', path).trimEnd().split('\n');
  const names = list.map((line) => line.replace(/^.* /, ''));
  expect(names.filter((name) => !name.endsWith('/'))).toEqual(['top/a/b', `top/${long}`, 'top/z']);
  expect(list.at(-1)).toBe('-rwxr-xr-x root/root         4 1970-01-02 00:00:00 top/z');
  run('tar', '-xf', path, '-C', dir);
  expect(readFileSync(join(dir, 'top', long), 'utf8')).toBe('x'.repeat(513));
});

test('the order of files does not change an archive', () => {
  const files = ['b', 'a/x', 'a/b'].map((path) => ({ path, content: path }));
  expect(writeTar(files.toReversed(), './', 0)).toEqual(writeTar(files, './', 0));
});

test('the list of checksums is what sha256sum takes', () => {
  const files = new Map([
    ['b', Buffer.from('2')],
    ['a', Buffer.from('1')],
  ]);
  for (const [name, bytes] of files) writeFileSync(join(dir, name), bytes);
  writeFileSync(join(dir, 'SHA256SUMS'), checksumList(files));
  const { stdout } = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dir });
  expect(stdout.toString()).toBe('a: OK\nb: OK\n');
});

test('executables hold the Node that this project is tested with', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  expect(NODE_VERSION).toBe(lock.packages['node_modules/node'].version);
  for (const { koffi } of PLATFORMS) {
    expect(lock.packages[`node_modules/${koffi}`].integrity).toMatch(/^sha512-/);
  }
});
