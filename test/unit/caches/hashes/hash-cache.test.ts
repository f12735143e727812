import { mkdtempDisposable, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HashCache, recordOfRow, rowOf } from '../../../../src/caches/hashes/hash-cache.ts';
import {
  agree,
  type HashRecord,
  isBelieved,
  latestRecord,
} from '../../../../src/caches/hashes/hash-record.ts';
import type { CacheOptions } from '../../../../src/state/cache-access.ts';
import { Database } from '../../../../src/state/database.ts';
import { CACHE } from '../../../../src/state/schemas.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { testOfAll } from '../../../support/in-part.ts';

const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'syncer-hashes-'));

const MD5 = '0123456789abcdef0123456789abcdef';
const OTHER = 'ffffffffffffffffffffffffffffffff';
const NOW = Date.UTC(2026, 10, 20);
/** What was read at `NOW` was read a while ago. */
const LATER = NOW + 3_600_000;

const record = (name: string, more: Partial<HashRecord> = {}): HashRecord => ({
  ...{ name, size: 5, modTime: 1_600_000_000_123_456_789n, changedAt: 1_600_000_001_000_000_000n },
  ...{ tag: '77', hashes: { md5: MD5 }, readMs: NOW, runId: 'run' },
  ...more,
});

const clock = { now: () => LATER, monotonic: () => 0, sleep: async () => {} };

/** A run with a cache. */
async function open(folder: string, options: Partial<CacheOptions> = {}) {
  const troubles: unknown[] = [];
  const onTrouble = (error: unknown) => troubles.push(error);
  const stores = new Stores({ state: undefined, cache: folder }, () => {});
  const cache = new HashCache({ stores, clock, onTrouble, mostUnwritten: 1000, ...options });
  await cache.opened();
  const close = async () => {
    await cache.close();
    await stores.close();
  };
  return { cache, troubles, close };
}

async function run(
  folder: string,
  use: (cache: HashCache) => void,
  options: Partial<CacheOptions> = {},
) {
  const { cache, troubles, close } = await open(folder, options);
  use(cache);
  await close();
  return troubles;
}

/** All rows of the cache. */
async function rowsIn(folder: string) {
  const database = await Database.open(folder, CACHE, () => {});
  const rows = database.all('SELECT store, CAST(name AS TEXT) AS name FROM hashes');
  database.close();
  return rows;
}

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((all) => Buffer.from(all).toString('hex'));
const records = fc.record({
  name: fc.string({ minLength: 1, maxLength: 60 }),
  size: fc.nat({ max: 2 ** 48 - 1 }),
  modTime: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }),
  changedAt: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  tag: fc.string({ maxLength: 40 }),
  readMs: fc.nat({ max: 2 ** 48 - 1 }),
  runId: fc.string({ maxLength: 20 }),
  hashes: fc.record(
    { md5: hex(16), sha1: hex(20), crc32: hex(4), sha512: hex(64), quickxor: hex(20) },
    { requiredKeys: [] },
  ),
});

test('records are written and read as they were', () => {
  fc.assert(
    fc.property(records, (one) => {
      expect(recordOfRow(one.name, rowOf(one))).toEqual(one);
    }),
  );
});

test('names of any bytes have records of their own', async () => {
  await using folder = await temporaryFolder();
  const names = ['\udcff', '\udcfe', '\ufffd', 'ÿ'];
  await run(folder.path, (cache) => {
    for (const [i, name] of names.entries()) cache.learn('disk', record(name, { size: i }));
  });
  await run(folder.path, (cache) => {
    for (const [i, name] of names.entries()) expect(cache.find('disk', name)?.size).toBe(i);
  });
});

test('thousands of records in many runs are all found', async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 3000 }, (_, i) => `/data/dir ${i % 17}/file ${i}`);
  for (let part = 0; part < 5; part++) {
    const mine = names.filter((_, i) => i % 5 === part);
    await run(folder.path, (cache) => {
      for (const name of mine) cache.learn('disk', record(name, { tag: name.slice(-9) }));
    });
  }
  await run(folder.path, (cache) => {
    for (const name of names) expect(cache.find('disk', name)?.tag).toBe(name.slice(-9));
    expect(cache.find('disk', '/data/dir 1/file')).toBeUndefined();
    expect(cache.find('disk', '')).toBeUndefined();
    expect(cache.find('other', names[0] ?? '')).toBeUndefined();
  });
});

test('the same files, read by each run, are kept once', async () => {
  await using folder = await temporaryFolder();
  for (let readMs = NOW; readMs < NOW + 3; readMs++) {
    const learnAll = (cache: HashCache) => {
      for (let i = 0; i < 900; i++) cache.learn('disk', record(`file ${i}`, { readMs }));
    };
    expect(await run(folder.path, learnAll)).toEqual([]);
  }
  expect(await rowsIn(folder.path)).toHaveLength(900);
  await run(folder.path, (cache) => {
    expect(cache.find('disk', 'file 7')?.readMs).toBe(NOW + 2);
  });
});

test('records that were written while the run goes on are still found', async () => {
  await using folder = await temporaryFolder();
  const { cache, close } = await open(folder.path, { mostUnwritten: 2 });
  for (let i = 0; i < 40; i++) {
    cache.learn('disk', record(`f${i}`));
    if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(cache.find('disk', `f${i}`)).toBeDefined();
    expect(cache.find('disk', 'f0')).toBeDefined();
  }
  await close();
});

testOfAll('a torn, damaged or missing file only forgets', async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 2000 }, (_, i) => `file ${String(i).padStart(5, '0')}`);
  const learnAll = (cache: HashCache) => {
    for (const name of names) cache.learn('disk', record(name));
  };
  await run(folder.path, learnAll);
  const path = join(folder.path, CACHE.file);
  const whole = await readFile(path);
  const changed = (at: number) => writeFile(path, whole.with(at, (whole[at] ?? 0) ^ 1));
  const damages: (() => Promise<void>)[] = [
    () => truncate(path, whole.length - 10),
    () => truncate(path, whole.length >> 1),
    () => truncate(path, 3),
    () => rm(path),
    ...Array.from({ length: 40 }, (_, i) => () => changed(Math.floor((i * whole.length) / 40) + i)),
  ];
  for (const damage of damages) {
    for (const name of await readdir(folder.path)) await rm(join(folder.path, name));
    await writeFile(path, whole);
    await damage();
    await run(folder.path, (cache) => {
      for (const name of names) {
        const found = cache.find('disk', name);
        if (found !== undefined) expect(found).toEqual(record(name));
      }
    });
    // The first of them may only find the damage.
    await run(folder.path, (cache) => cache.learn('disk', record('new')));
    await run(folder.path, (cache) => cache.learn('disk', record('new')));
    await run(folder.path, (cache) => {
      expect(cache.find('disk', 'new')).toEqual(record('new'));
    });
  }
});

test('a row that was changed is not believed, and written again', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => cache.learn('disk', record('a')));
  const database = await Database.open(folder.path, CACHE, () => {});
  database.run('UPDATE hashes SET record = replace(record, ?, ?)', MD5, OTHER);
  database.close();
  await run(folder.path, (cache) => {
    expect(cache.find('disk', 'a')).toBeUndefined();
    cache.learn('disk', record('a'));
  });
  await run(folder.path, (cache) => expect(cache.find('disk', 'a')).toEqual(record('a')));
});

test('a cache that is deleted or fails while a run goes on costs what it knew', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => cache.learn('disk', record('a')));
  const { cache, troubles, close } = await open(folder.path);
  for (const name of await readdir(folder.path)) await rm(join(folder.path, name));
  expect(cache.find('disk', 'a')).toEqual(record('a'));
  cache.learn('disk', record('b'));
  await close();
  expect(troubles).toEqual([]);
  expect(await rowsIn(folder.path)).toEqual([]);
});

testOfAll('another process that writes for long is not waited for', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => cache.learn('disk', record('a')));
  const { cache, troubles, close } = await open(folder.path);
  const other = await Database.open(folder.path, CACHE, () => {});
  other.exec('BEGIN IMMEDIATE');
  cache.learn('disk', record('b'));
  expect(cache.find('disk', 'a')).toEqual(record('a'));
  await close();
  expect(troubles).toHaveLength(1);
  other.exec('ROLLBACK');
  other.close();
  await run(folder.path, (next) => expect(next.find('disk', 'a')).toBeDefined());
});

test('what was read long ago goes first where all takes too much', async () => {
  await using folder = await temporaryFolder();
  const maxBytes = 200 * 4096;
  const names = Array.from({ length: 30_000 }, (_, i) => `file ${i}`);
  const isOld = (name: string) => Number(name.slice(5)) % 3 !== 0;
  await run(folder.path, (cache) => {
    for (const [i, name] of names.entries())
      cache.learn('disk', record(name, { readMs: isOld(name) ? NOW - 1e9 + i : NOW }));
  });
  const before = await rowsIn(folder.path);
  await run(folder.path, (cache) => cache.learn('disk', record('new')), { maxBytes });
  const left = await rowsIn(folder.path);
  expect(left.length).toBeLessThan(before.length);
  expect(left.filter(({ name }) => !isOld(String(name)))).toHaveLength(10_001);
});

test('a reading by a clock that was ahead gives way to a later one', async () => {
  await using folder = await temporaryFolder();
  const ahead = NOW + 1e10;
  await run(folder.path, (cache) => {
    cache.learn('disk', record('changed', { readMs: ahead }));
    cache.learn('disk', record('same', { readMs: ahead }));
  });
  await run(folder.path, (cache) => {
    cache.learn('disk', record('changed', { tag: '78', hashes: { md5: OTHER } }));
    cache.learn('disk', record('same'));
    expect(cache.find('disk', 'changed')).toMatchObject({ tag: '78', readMs: NOW });
  });
  await run(folder.path, (cache) => {
    expect(cache.find('disk', 'changed')).toMatchObject({ tag: '78', readMs: NOW });
    expect(cache.find('disk', 'same')).toEqual(record('same'));
  });
});

test('several processes at the same time lose nothing of each other', async () => {
  await using folder = await temporaryFolder();
  const all = await Promise.all([1, 2, 3, 4].map(() => open(folder.path)));
  for (const [part, { cache }] of all.entries())
    for (let i = 0; i < 300; i++) cache.learn('disk', record(`${part}/${i}`));
  await Promise.all(all.map(({ close }) => close()));
  await run(folder.path, (cache) => {
    for (let part = 0; part < 4; part++)
      for (let i = 0; i < 300; i++) expect(cache.find('disk', `${part}/${i}`)).toBeDefined();
  });
});

test('a folder that cannot be used is reported once, and nothing rejects', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'a file');
  await writeFile(file, '');
  const troubles = await run(file, (cache) => {
    cache.learn('disk', record('a'));
    expect(cache.find('disk', 'a')).toEqual(record('a'));
  });
  expect(troubles).toHaveLength(1);
});

test('a later reading of the same version does not replace what it contradicts', async () => {
  await using folder = await temporaryFolder();
  const later = NOW + 5000;
  const seen: Record<string, HashRecord | undefined> = {};
  const add = (more: Partial<HashRecord>) =>
    run(folder.path, (cache) => cache.learn('disk', record('a', more)));
  const look = (key: string) =>
    run(folder.path, (cache) => {
      seen[key] = cache.find('disk', 'a');
    });
  await add({});
  await add({ hashes: { md5: OTHER }, readMs: later });
  await look('contradicted');
  await add({ hashes: { crc32: '01020304' }, readMs: later });
  await look('another hash');
  await add({ hashes: { md5: OTHER, crc32: '01020304' }, readMs: NOW + 1 });
  await look('one of both is another');
  await add({ hashes: { md5: MD5, crc32: '05060708' }, readMs: NOW + 2 });
  await look('both');
  await add({ hashes: { md5: MD5 }, readMs: later, changedAt: 1n });
  await look('read again');
  await add({ hashes: { md5: OTHER }, readMs: later + 1, isAccepted: true });
  await add({ hashes: { md5: MD5 }, readMs: later + 2 });
  await look('accepted');
  await add({ hashes: { md5: MD5 }, readMs: later + 3, modTime: 5n });
  await look('changed');
  const doubted = record('a', { isDoubted: true });
  expect(seen['contradicted']).toEqual(doubted);
  // Nothing shows that it is of the same content, which a disk may have lost since.
  expect(seen['another hash']).toEqual(doubted);
  expect(seen['one of both is another']).toEqual(doubted);
  const hashes = { md5: MD5, crc32: '05060708' };
  expect(seen['both']).toEqual(record('a', { readMs: NOW + 2, hashes }));
  expect(seen['read again']).toMatchObject({ readMs: later, changedAt: 1n });
  expect(seen['accepted']).toMatchObject({ readMs: later + 1, hashes: { md5: OTHER } });
  expect(seen['changed']).toMatchObject({ modTime: 5n, hashes: { md5: MD5 } });
});

test('what a server reports joins a reading only with a hash in common, and gives way to one', () => {
  const reported = { isUnread: true, readMs: NOW + 5000 };
  const both = record('a', { ...reported, hashes: { md5: MD5, sha1: 'a9' } });
  expect(latestRecord([record('a'), both], LATER)).toMatchObject({
    readMs: NOW,
    hashes: both.hashes,
  });
  const other = record('a', { ...reported, hashes: { sha1: 'a9' } });
  expect(latestRecord([record('a'), other], LATER)).toEqual(record('a'));
  const later = record('a', { readMs: NOW + 9000 });
  expect(latestRecord([other, later], LATER)).toEqual(later);
});

test('servers are not named in the cache', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => {
    for (const store of ['disk', 'https://key@example.org']) cache.learn(store, record('a'));
  });
  const stores = (await rowsIn(folder.path)).map(({ store }) => store);
  expect(stores.sort()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), 'disk']);
});

test('what is not read for years is forgotten', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => cache.learn('disk', record('old', { readMs: 1 })));
  await run(folder.path, (cache) => cache.learn('disk', record('new')));
  await run(folder.path, (cache) => {
    expect(cache.find('disk', 'old')).toBeUndefined();
    expect(cache.find('disk', 'new')).toEqual(record('new'));
  });
});

test('a hash is believed only of an old enough file that nothing has changed since', () => {
  const one = record('a');
  const young = BigInt(NOW - 1500) * 1_000_000n;
  expect(isBelieved(one, one)).toBe(true);
  expect(isBelieved(one, { ...one, changedAt: one.changedAt + 1n })).toBe(false);
  expect(isBelieved(one, { ...one, size: 6 })).toBe(false);
  expect(isBelieved(one, { ...one, tag: '78' })).toBe(false);
  const evidence: Partial<HashRecord>[] = [{ isUnread: true }, { isDoubted: true }];
  const duringReading = BigInt(NOW + 9000) * 1_000_000n;
  const times = [{ changedAt: young }, { changedAt: duringReading }, { modTime: young }];
  for (const change of [...times, ...evidence])
    expect(isBelieved({ ...one, ...change }, { ...one, ...change })).toBe(false);
  expect(agree({ md5: MD5 }, { crc32: '01020304' })).toBeUndefined();
});
