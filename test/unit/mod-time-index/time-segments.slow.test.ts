import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nameFromBytes } from '../../../src/core/name-bytes.ts';
import { compareNames } from '../../../src/core/name-order.ts';
import type { KnownTime } from '../../../src/mod-time-index/known-time.ts';
import { TIME_FORMAT } from '../../../src/mod-time-index/time-format.ts';
import { RecordBytes } from '../../../src/segments/record-format.ts';
import { SegmentFinder } from '../../../src/segments/segment-finder.ts';
import { SegmentReader } from '../../../src/segments/segment-reader.ts';
import { SegmentWriter } from '../../../src/segments/segment-writer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-segments-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ID = '0123456789abcdef0123456789abcdef';
let made = 0;

function writeSegment(records: readonly KnownTime[]): string {
  const path = join(folder, String(++made));
  const writer = new SegmentWriter(TIME_FORMAT, path, `${path}.new`, ID);
  for (const record of records) writer.add(record);
  writer.commit();
  return path;
}

function readSegment(path: string, id = ID): { records: KnownTime[]; isDamaged: boolean } {
  const reader = new SegmentReader(TIME_FORMAT, path, id);
  const records: KnownTime[] = [];
  for (; reader.name !== undefined; reader.advance()) {
    const known = reader.record();
    if (known !== undefined) records.push(known);
    expect(reader.ordinal).toBe(records.length - 1);
  }
  reader.close();
  return { records, isDamaged: reader.isDamaged };
}

const record = (name: string): KnownTime => ({
  name,
  size: 5,
  etag: '0123456789abcdef0123456789abcdef',
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_000_999,
  modTime: 1_600_000_000_123_456_789n,
});

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

test('records come back as they were written', () => {
  const sorted = fc.uniqueArray(known, { selector: ({ name }) => name, maxLength: 30 });
  fc.assert(
    fc.property(sorted, (records) => {
      const inOrder = records.toSorted((a, b) => compareNames(a.name, b.name));
      expect(readSegment(writeSegment(inOrder))).toEqual({ records: inOrder, isDamaged: false });
    }),
  );
});

test('many blocks', () => {
  const records = Array.from({ length: 5000 }, (_, i) => record(String(i).padStart(6, '0')));
  expect(readSegment(writeSegment(records))).toEqual({ records, isDamaged: false });
});

test('what does not fit in a record is left out', () => {
  const odd = [
    { ...record('b'), name: 'b'.repeat(5000) },
    { ...record('c'), etag: 'x'.repeat(256) },
    { ...record('d'), modTime: 2n ** 63n },
    { ...record('e'), size: 2 ** 48 },
    { ...record('f'), fromMs: -1 },
    { ...record('g'), toMs: record('g').fromMs + 2 ** 32 },
  ];
  const path = writeSegment([record('a'), ...odd, record('z')]);
  expect(readSegment(path)).toEqual({ records: [record('a'), record('z')], isDamaged: false });
});

test('a segment cut at any byte gives only what was whole', async () => {
  const records = ['a', 'b', 'c', 'd'].map(record);
  const bytes = await readFile(writeSegment(records));
  for (let length = 0; length < bytes.length; length++) {
    const path = join(folder, 'cut');
    await writeFile(path, bytes.subarray(0, length));
    const { records: left } = readSegment(path);
    expect(records.slice(0, left.length)).toEqual(left);
    expect(left.length).toBeLessThan(records.length);
  }
});

test('a byte that changed is never believed', async () => {
  const records = ['a', 'b', 'c', 'd'].map(record);
  const bytes = await readFile(writeSegment(records));
  for (let at = 0; at < bytes.length; at++) {
    const path = join(folder, 'changed');
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(path, changed);
    expect(readSegment(path)).toEqual({ records: [], isDamaged: true });
  }
});

test('a segment of another directory, other files and missing ones hold nothing', async () => {
  const path = writeSegment([record('a')]);
  const nothing = { records: [], isDamaged: true };
  expect(readSegment(path, ID.replace('0', '1'))).toEqual(nothing);
  expect(readSegment(join(folder, 'missing'))).toEqual(nothing);
  expect(readSegment(folder)).toEqual(nothing);
  const other = join(folder, 'other');
  await copyFile(import.meta.filename, other);
  expect(readSegment(other)).toEqual(nothing);
});

test('records are alike if nothing but the time of the response differs', () => {
  const bytes = (one: KnownTime) => {
    const all = new RecordBytes(Buffer.alloc(TIME_FORMAT.longest));
    return all.bytes.subarray(0, TIME_FORMAT.encode(one, all, 0));
  };
  const order = (change: Partial<KnownTime>) =>
    TIME_FORMAT.compareAge(bytes(record('a')), bytes({ ...record('a'), ...change }));
  expect(order({})).toBe(0);
  expect(order({ fromMs: 1_700_000_000_100 })).toBe(0);
  expect(order({ toMs: 1_700_000_001_000 })).toBe(-1);
  expect(order({ fromMs: 1_600_000_000_000, toMs: 1_600_000_000_999 })).toBe(1e11);
  expect(order({ size: 6 })).toBeUndefined();
  expect(order({ etag: '0123456789abcdef0123456789abcdee' })).toBeUndefined();
  expect(order({ modTime: 1_600_000_000_123_456_788n })).toBeUndefined();
  expect(order({ md5: '0123456789abcdef0123456789abcdef' })).toBeUndefined();
});

test('a pipe in place of a segment is damage, and keeps nobody waiting', () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  expect(readSegment(path)).toEqual({ records: [], isDamaged: true });
  const finder = new SegmentFinder(TIME_FORMAT, path, ID);
  expect(finder.find('a')).toBeUndefined();
});

test('records out of order are not read on', () => {
  const { records, isDamaged } = readSegment(writeSegment(['a', 'c', 'b', 'd'].map(record)));
  expect(records).toEqual(['a', 'c'].map(record));
  expect(isDamaged).toBe(true);
});

test('what is thrown away was never there', async () => {
  const path = join(folder, 'discarded');
  const writer = new SegmentWriter(TIME_FORMAT, path, `${path}.new`, ID);
  writer.add(record('a'));
  writer.discard();
  await expect(readFile(path)).rejects.toThrow('ENOENT');
  await expect(readFile(`${path}.new`)).rejects.toThrow('ENOENT');
});

test('a reader that skips to a name finds all records from there on', () => {
  const names = Array.from({ length: 5_000 }, (_, i) => `file-${String(i * 2).padStart(6, '0')}`);
  const path = writeSegment(names.map(record));
  for (const start of [0, 1, 1_400, 4_999, 9_997, 9_998, 9_999]) {
    const name = `file-${String(start).padStart(6, '0')}`;
    const reader = new SegmentReader(TIME_FORMAT, path, ID);
    reader.skipTo(name);
    const skipped = names.indexOf(reader.name ?? '');
    expect(skipped, 'only what is read block by block').toBeLessThanOrEqual(Math.ceil(start / 2));
    if (start > 4_998) expect(skipped).toBeGreaterThan(0);
    const left: string[] = [];
    for (; reader.name !== undefined; reader.advance())
      if (compareNames(reader.name, name) >= 0) left.push(reader.name);
    expect(left).toEqual(names.slice(Math.ceil(start / 2)));
    expect(reader.isDamaged).toBe(false);
    reader.close();
  }
});

test('what is skipped to in a damaged block is not found', async () => {
  const names = Array.from({ length: 5_000 }, (_, i) => `file-${String(i).padStart(6, '0')}`);
  const path = writeSegment(names.map(record));
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length >> 1));
  const reader = new SegmentReader(TIME_FORMAT, path, ID);
  reader.skipTo('file-004999');
  expect(reader.name).toBeUndefined();
  expect(reader.isDamaged).toBe(true);
});
