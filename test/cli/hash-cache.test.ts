import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HashCache } from '../../src/caches/hashes/hash-cache.ts';
import { systemClock } from '../../src/core/context.ts';
import type { Hashes } from '../../src/core/hash-names.ts';
import { Stores } from '../../src/state/stores.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { damageDatabase } from '../support/state-rows.ts';
import { waitFor } from '../support/wait-for.ts';

let world: SyncerWorld;
let cacheDir: string;
let file: string;

const TRUE = 'd41d8cd98f00b204e9800998ecf8427e';
const CACHED = 'ffffffffffffffffffffffffffffffff';

beforeEach(async () => {
  world = await makeSyncerWorld();
  cacheDir = join(world.dir, 'cache');
  file = join(world.dir, 'a/empty');
  await mkdir(join(world.dir, 'a'));
  await Promise.all([writeFile(file, ''), writeFile(world.config, '')]);
});
afterEach(() => world.remove());

async function run(...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await world.run([...words, '--cache-dir', cacheDir]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return String(stdout);
}

async function withCache(use: (cache: HashCache) => void): Promise<void> {
  const onTrouble = (error: unknown) => expect(error).toBeUndefined();
  const stores = new Stores({ state: undefined, cache: cacheDir }, () => {});
  const cache = new HashCache({ stores, clock: systemClock, onTrouble });
  await cache.opened();
  use(cache);
  await cache.close();
  await stores.close();
}

/** The file as the cache knows it, with a hash that it does not have. */
async function cacheWrongHash(): Promise<void> {
  const { size, ino, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  await withCache((cache) =>
    cache.learn('disk', {
      ...{ name: file, size: Number(size), tag: String(ino), modTime: mtimeNs, changedAt: ctimeNs },
      ...{ hashes: { md5: CACHED }, readMs: Date.now() + 10_000, runId: 'test' },
    }),
  );
}

async function cachedHashes(path: string): Promise<Hashes | undefined> {
  let hashes: Hashes | undefined;
  await withCache((cache) => {
    hashes = cache.find('disk', path)?.hashes;
  });
  return hashes;
}

test('a cached hash is used with --use-hash-cache only, and only until the file is changed', async () => {
  await cacheWrongHash();
  expect(await run('md5sum', 'a', '--use-hash-cache', '--no-hash-cache')).toBe(`${TRUE}  empty\n`);
  expect(await run('md5sum', 'a', '--use-hash-cache')).toBe(`${CACHED}  empty\n`);
  expect(await run('hashsum', 'MD5', 'a/empty', '--use-hash-cache')).toBe(`${CACHED}  empty\n`);
  expect(await run('md5sum', 'a', '--use-hash-cache', '--download')).toBe(`${TRUE}  empty\n`);
  expect(await run('md5sum', 'a')).toBe(`${TRUE}  empty\n`);
  const { atime, mtime } = await stat(file);
  await utimes(file, atime, mtime);
  expect(await run('md5sum', 'a', '--use-hash-cache')).toBe(`${TRUE}  empty\n`);
});

test('commands that compute hashes fill the cache; --no-hash-cache leaves it alone', async () => {
  await run('md5sum', 'a', '--no-hash-cache');
  await run('ls', 'a');
  await expect(readdir(cacheDir)).rejects.toThrow('ENOENT');
  await run('md5sum', 'a');
  expect(await cachedHashes(file)).toEqual({ md5: TRUE });
  // Of another reading, which may have been of other content.
  await run('lsjson', 'a', '--hash', '--hash-type', 'crc32');
  expect(await cachedHashes(file)).toEqual({ md5: TRUE });
  // This one computes both.
  await run('hashsum', 'crc32', 'a', '--use-hash-cache');
  await run('check', 'a', 'a', '--checksum', '-q');
  expect(await cachedHashes(file)).toEqual({ md5: TRUE, crc32: '00000000' });
});

test('a cache that cannot be written changes no result', async () => {
  await writeFile(cacheDir, 'in the way');
  expect(await run('md5sum', 'a', '--use-hash-cache')).toBe(`${TRUE}  empty\n`);
});

test('a killed run and a torn file cost only time', async () => {
  await writeFile(join(world.dir, 'a/large'), Buffer.alloc(64 << 20));
  const running = world.start(['md5sum', 'a', '--cache-dir', cacheDir]);
  await waitFor(() => running.seen.stdout !== '', running.ended);
  running.kill('SIGKILL');
  await running.ended;
  const expected = await run('md5sum', 'a');
  damageDatabase(join(cacheDir, 'cache.db'));
  const { stdout, stderr, code } = await world.run([
    'md5sum',
    'a',
    '--use-hash-cache',
    '--cache-dir',
    cacheDir,
  ]);
  expect([String(stdout), code]).toEqual([expected, 0]);
  expect(stderr).toMatch(/NOTICE: the cache was damaged, and a new one is made;.*\n$/);
  await rm(cacheDir, { recursive: true });
  expect(await run('md5sum', 'a', '--use-hash-cache')).toBe(expected);
});
