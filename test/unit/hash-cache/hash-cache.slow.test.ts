import { hash } from 'node:crypto';
import {
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HashCache, hashFormat } from '../../../src/hash-cache/hash-cache.ts';
import {
  agree,
  type HashRecord,
  isBelieved,
  latestRecord,
} from '../../../src/hash-cache/hash-record.ts';
import { RecordBytes } from '../../../src/segments/record-format.ts';

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

const HASH_FORMAT = hashFormat(() => LATER);

const clock = { now: () => LATER, monotonic: () => 0, sleep: async () => {} };

async function run(folder: string, use: (cache: HashCache) => void, mostUnwritten = 1000) {
  const troubles: unknown[] = [];
  const onTrouble = (error: unknown) => troubles.push(error);
  const cache = new HashCache({ folder, clock, onTrouble, mostUnwritten });
  use(cache);
  await cache.close();
  return troubles;
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

function encoded(record: HashRecord): Buffer {
  const all = new RecordBytes(Buffer.alloc(HASH_FORMAT.longest));
  return all.bytes.subarray(0, HASH_FORMAT.encode(record, all, 0));
}

test('records are written and read as they were', () => {
  fc.assert(
    fc.property(records, fc.nat({ max: 9 }), (one, before) => {
      const all = new RecordBytes(Buffer.alloc(before + HASH_FORMAT.longest));
      const end = HASH_FORMAT.encode(one, all, before);
      const name = HASH_FORMAT.nameAt(all, before);
      expect(HASH_FORMAT.decode(all, before, name)).toEqual(one);
      expect(HASH_FORMAT.endOf(all, before)).toBe(end);
    }),
  );
});

test('of records that are alike, the later one is kept without reading them', () => {
  let alike = 0;
  const readMs = fc.nat({ max: 2 ** 48 - 1 });
  const other = fc.record(
    {
      size: fc.nat({ max: 9 }),
      modTime: fc.bigInt({ min: 0n, max: 9n }),
      changedAt: fc.bigInt({ min: 0n, max: 9n }),
      tag: fc.string({ maxLength: 3 }),
      readMs,
      runId: fc.string({ maxLength: 3 }),
      hashes: fc.constant({ md5: MD5 }),
      isAccepted: fc.constant(true),
      isUnread: fc.constant(true),
      isDoubted: fc.constant(true),
    },
    { requiredKeys: [] },
  );
  const changes = fc.oneof(fc.record({ readMs }), other);
  fc.assert(
    fc.property(records, changes, (one, change) => {
      const changed = { ...one, ...change };
      const order = HASH_FORMAT.compareAge(encoded(one), encoded(changed));
      if (order === undefined) return;
      alike++;
      expect(latestRecord([one, changed], LATER)).toEqual(order > 0 ? one : changed);
    }),
    { numRuns: 2000 },
  );
  expect(alike).toBeGreaterThan(20);
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
  expect((await readdir(folder.path)).length).toBeLessThan(6);
  await run(folder.path, (cache) => {
    for (const name of names) expect(cache.find('disk', name)?.tag).toBe(name.slice(-9));
    expect(cache.find('disk', '/data/dir 1/file')).toBeUndefined();
    expect(cache.find('disk', '')).toBeUndefined();
    expect(cache.find('other', names[0] ?? '')).toBeUndefined();
  });
});

test('the same files, read by each run, are kept a few times', async () => {
  await using folder = await temporaryFolder();
  for (let readMs = NOW; readMs < NOW + 14; readMs++) {
    const learnAll = (cache: HashCache) => {
      for (let i = 0; i < 900; i++) {
        const name = `directory/file-with-a-name-of-some-length-${i}`;
        cache.learn('disk', record(name, { readMs }));
      }
    };
    expect(await run(folder.path, learnAll)).toEqual([]);
  }
  const files = await readdir(folder.path);
  expect(files.length).toBeLessThan(5);
  for (const file of files) {
    const { size } = await stat(join(folder.path, file));
    expect(size).toBeGreaterThan(64 * 1024);
    expect(size).toBeLessThan(900 * 200);
  }
  await run(folder.path, (cache) => {
    const name = 'directory/file-with-a-name-of-some-length-7';
    expect(cache.find('disk', name)?.readMs).toBe(NOW + 13);
  });
});

test('records that were written while the run goes on are still found', async () => {
  await using folder = await temporaryFolder();
  const cache = new HashCache({ folder: folder.path, clock, onTrouble() {}, mostUnwritten: 2 });
  for (let i = 0; i < 40; i++) {
    cache.learn('disk', record(`f${i}`));
    if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(cache.find('disk', `f${i}`)).toBeDefined();
    expect(cache.find('disk', 'f0')).toBeDefined();
  }
  await cache.close();
});

test('a torn, damaged or missing file only forgets', async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 2000 }, (_, i) => `file ${String(i).padStart(5, '0')}`);
  const learnAll = (cache: HashCache) => {
    for (const name of names) cache.learn('disk', record(name));
  };
  await run(folder.path, learnAll);
  const [segment = ''] = await readdir(folder.path);
  const path = join(folder.path, segment);
  const whole = await readFile(path);
  const damages: (() => Promise<void>)[] = [
    () => truncate(path, whole.length - 10),
    () => truncate(path, 3),
    () => writeFile(path, whole.with(100_000, (whole[100_000] ?? 0) ^ 1)),
    () => rm(path),
  ];
  for (const damage of damages) {
    await writeFile(path, whole);
    await damage();
    const troubles = await run(folder.path, (cache) => {
      for (const name of names) {
        const found = cache.find('disk', name);
        if (found !== undefined) expect(found).toEqual(record(name));
      }
      cache.learn('disk', record('new'));
    });
    expect(troubles).toEqual([]);
    await run(folder.path, (cache) => {
      expect(cache.find('disk', 'new')).toEqual(record('new'));
    });
    for (const name of await readdir(folder.path)) await rm(join(folder.path, name));
  }
});

test('what is no file in the place of one is left alone', async () => {
  await using folder = await temporaryFolder();
  const learn = (name: string) => run(folder.path, (cache) => cache.learn('disk', record(name)));
  await learn('a');
  const [name = ''] = await readdir(folder.path);
  await rm(join(folder.path, name));
  await mkdir(join(folder.path, name));
  expect(await learn('b')).toEqual([]);
  expect(await learn('c')).toEqual([]);
  await run(folder.path, (cache) => {
    for (const path of ['b', 'c']) expect(cache.find('disk', path)).toMatchObject({ tag: '77' });
  });
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

test('two processes at the same time lose nothing of each other', async () => {
  await using folder = await temporaryFolder();
  const all = [1, 2, 3, 4].map((part) => {
    const cache = new HashCache({ folder: folder.path, clock, onTrouble() {} });
    for (let i = 0; i < 300; i++) cache.learn('disk', record(`${part}/${i}`));
    return cache;
  });
  await Promise.all(all.map((cache) => cache.close()));
  await run(folder.path, (cache) => {
    for (const part of [1, 2, 3, 4])
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

test('the files of a store have the id of its name', async () => {
  await using folder = await temporaryFolder();
  await run(folder.path, (cache) => {
    for (const store of ['disk', 'other']) cache.learn(store, record('a'));
  });
  const ids = ['disk', 'other'].map((store) => hash('sha256', store).slice(0, 32));
  const names = await readdir(folder.path);
  expect(names.map((name) => name.split('-')[0]).sort()).toEqual(ids.sort());
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
