import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryTimes, type StalePage } from '../../../../src/caches/times/directory-times.ts';
import type { KnownTime } from '../../../../src/caches/times/known-time.ts';
import { writePage } from '../../../../src/caches/times/mod-time-index.ts';
import { modTimeFromMs } from '../../../../src/core/mod-time.ts';
import { nameFromBytes } from '../../../../src/core/name-bytes.ts';
import { compareNames, sortedBytes } from '../../../../src/core/name-order.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { Database } from '../../../../src/state/database.ts';
import { CACHE } from '../../../../src/state/schemas.ts';
import { TimesTable } from '../../../../src/state/times.ts';

let folder: string;
let database: Database;
let table: TimesTable;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-times-'));
  database = await Database.open(folder, CACHE, () => {});
  table = new TimesTable(database, 0);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const ID = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
let made = 0;
const newId = () => Buffer.from(String(++made).padStart(32, '0'), 'hex');

const record = (name: string, more: Partial<KnownTime> = {}): KnownTime => ({
  name,
  size: 5,
  etag: '0123456789abcdef0123456789abcdef',
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_000_999,
  modTime: 1_600_000_000_123_456_789n,
  ...more,
});

function write(fresh: readonly KnownTime[], id = ID, stale: readonly StalePage[] = []): void {
  const sorted = fresh.toSorted((a, b) => compareNames(a.name, b.name));
  const count = sorted.length + stale.length;
  for (let at = 0; at < count; ) {
    const from = at;
    at = database.writeNow(() => writePage(table, { id, fresh: sorted, stale }, from));
  }
}

const read = (id = ID) =>
  new DirectoryTimes(id.toString('hex'), {
    after: (first) => table.pageAfter(id, first),
    at: (name) => table.pageAt(id, name),
    unwritten: () => undefined,
  });

/** A file that a record describes. */
const fileOf = ({ name, size, etag, fromMs }: KnownTime): FileEntry => ({
  ...({ kind: 'file', path: name, size, etag, storedTime: modTimeFromMs(fromMs) } as const),
});

/** Which of some records, sorted by name, are found in a listing of their files. */
const found = (records: readonly KnownTime[], id = ID) => {
  const times = read(id);
  return records.flatMap((one) => times.find(one.name, fileOf(one)) ?? []);
};

const pages = (id = ID) =>
  database.all('SELECT length(records) AS bytes FROM times WHERE directory = ? ORDER BY first', id);

const many = (count: number, step = 1) =>
  Array.from({ length: count }, (_, i) => record(`file-${String(i * step).padStart(6, '0')}`));

const hex = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const known: fc.Arbitrary<KnownTime> = fc
  .record({
    name: fc.uint8Array({ minLength: 1, maxLength: 40 }).map(nameFromBytes),
    size: fc.nat({ max: 2 ** 48 - 1 }),
    etag: fc.oneof(hex, fc.string({ minLength: 1, maxLength: 40 }), fc.constant('a'.repeat(255))),
    fromMs: fc.nat({ max: 2 ** 48 - 1 }),
    width: fc.nat({ max: 2 ** 32 - 1 }),
    modTime: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }),
    md5: fc.option(hex, { nil: undefined }),
  })
  .map(({ width, md5, ...others }) => ({
    ...others,
    toMs: others.fromMs + width,
    ...(md5 === undefined ? {} : { md5 }),
  }));

test('names as bytes sort as names do', () => {
  const name = fc.oneof(
    fc.uint8Array({ maxLength: 6 }).map(nameFromBytes),
    fc.string({
      unit: fc.constantFrom('a', '\u201a', '\u201b', '\udc80', '\udcff', '\uff00', '😀'),
    }),
  );
  fc.assert(
    fc.property(name, name, (a, b) => {
      const order = sortedBytes(a).compare(sortedBytes(b));
      expect(Math.sign(order)).toBe(Math.sign(compareNames(a, b)));
    }),
    { numRuns: 2000 },
  );
});

test('records are found as they were written', () => {
  const all = fc.uniqueArray(known, { selector: ({ name }) => name, maxLength: 30 });
  fc.assert(
    fc.property(all, all, (first, second) => {
      const id = newId();
      write(first, id);
      write(second, id);
      const names = new Set(second.map(({ name }) => name));
      const records = [...first.filter(({ name }) => !names.has(name)), ...second];
      const sorted = records.toSorted((a, b) => compareNames(a.name, b.name));
      const expected = sorted.filter(({ name, toMs }) => {
        const older = first.find((one) => one.name === name);
        return older === undefined || older.toMs <= toMs;
      });
      expect(found(sorted, id)).toEqual(expect.arrayContaining(expected));
    }),
  );
});

test('many records are in pages of about 64 KiB, in whatever order they were learned', () => {
  const records = many(5000);
  write(records);
  expect(found(records)).toEqual(records);
  expect(pages().length).toBe(Math.ceil((5000 * 54) / 65_536));
  const id = newId();
  for (let part = 0; part < 7; part++)
    write(
      records.filter((_, i) => (i * 7919) % 7 === part),
      id,
    );
  expect(found(records, id)).toEqual(records);
  for (const { bytes } of pages(id)) expect(Number(bytes)).toBeGreaterThan(16_384);
  for (const { bytes } of pages(id)) expect(Number(bytes)).toBeLessThan(65_700);
});

test('what does not fit in a record is left out', () => {
  const odd = [
    record('b'.repeat(5000)),
    record('c', { etag: 'x'.repeat(256) }),
    record('d', { modTime: 2n ** 63n }),
    record('e', { size: 2 ** 48 }),
    record('f', { fromMs: -1 }),
    record('g', { toMs: 1_700_000_000_000 + 2 ** 32 }),
  ];
  const all = [record('a'), ...odd, record('z')];
  write(all);
  expect(found(all)).toEqual([record('a'), record('z')]);
});

test('of two records the later one is kept, and none if they contradict each other', () => {
  write([record('a'), record('b'), record('c')]);
  const later = record('b', { fromMs: 1_800_000_000_000, toMs: 1_800_000_000_000, modTime: 5n });
  const contrary = record('c', { modTime: 5n });
  write([later, contrary]);
  write([record('b')]);
  expect(found([record('a'), later, contrary])).toEqual([record('a'), later]);
  expect(found([record('c')])).toEqual([]);
});

test('a page that was cut or changed at any byte is skipped, and the next one read', () => {
  const records = many(2000);
  write(records);
  const [first] = database.all('SELECT first, records FROM times ORDER BY first LIMIT 1');
  const whole = first?.['records'] as Uint8Array;
  const key = first?.['first'] ?? null;
  const put = (bytes: Uint8Array) =>
    database.run('UPDATE times SET records = ? WHERE first = ?', bytes, key);
  put(new Uint8Array(0));
  const rest = found(records);
  expect(rest.length).toBeGreaterThan(500);
  for (let at = 0; at < whole.length; at += 4999) {
    put(whole.slice(0, at));
    expect(found(records)).toEqual(rest);
    put(whole.with(at, (whole[at] ?? 0) ^ (1 << (at % 8))));
    expect(found(records)).toEqual(rest);
  }
  const times = read();
  for (const one of records) times.find(one.name, fileOf(one));
  write([], ID, times.finish());
  expect(pages()).toHaveLength(1);
  write(records.slice(0, 500));
  expect(found(records)).toEqual([...records.slice(0, 500), ...rest]);
});

test('a page of another directory is not believed', () => {
  write([record('a')]);
  database.run('UPDATE times SET directory = ?', newId());
  expect(found([record('a')], Buffer.from(String(made).padStart(32, '0'), 'hex'))).toEqual([]);
});

test('a listing that begins with a name finds all records from there on', () => {
  const records = many(5000, 2);
  write(records);
  for (const start of [0, 1, 1400, 4999, 9997, 9998, 9999]) {
    const name = `file-${String(start).padStart(6, '0')}`;
    const times = read();
    times.skipTo(name);
    const left = records.filter((one) => compareNames(one.name, name) >= 0);
    expect(left.flatMap((one) => times.find(one.name, fileOf(one)) ?? [])).toEqual(left);
  }
});

test('what a whole listing did not confirm goes, and nothing that it did', () => {
  const records = many(3000);
  write(records);
  const stays = records.filter((_, i) => i < 1200 || i % 3 === 0);
  const times = read();
  for (const one of stays) times.find(one.name, fileOf(one));
  write([], ID, times.finish());
  expect(found(stays)).toEqual(stays);
  expect(found(records).length).toBeLessThan(2000);
});

test('a page that is divided while it is read counts as confirmed', () => {
  const records = many(990, 2);
  write(records);
  const times = read();
  const half = records.slice(0, 980);
  for (const one of half) times.find(one.name, fileOf(one));
  const others = many(1980).filter((_, i) => i % 2 === 1);
  write(others);
  for (const one of records.slice(980)) times.find(one.name, fileOf(one));
  write([], ID, times.finish());
  expect(found(records)).toEqual(records);
});
