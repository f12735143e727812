import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedPart, UploadHead } from '../../../src/core/upload-records.ts';
import { Stores } from '../../../src/state/stores.ts';
import { type RecordKind, uploadRecords } from '../../../src/state/uploads.ts';
import { machineBoot, ownMark } from '../../../src/system/owner-state.ts';
import { stateRows } from '../../support/state-rows.ts';

const HEAD: UploadHead = {
  store: 'store',
  path: 'bucket/file\udcff',
  id: 'upload-1',
  partSize: 5,
  size: 12,
  source: 'abc',
  options: 'def',
};
const { path: PATH } = HEAD;
const part = (number: number): RecordedPart => ({ number, size: 5, etag: `e${number}`, md5: '' });
const DAY_MS = 86_400_000;

let folder: string;
let opened: Stores[];
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'syncer-test-')), 'state');
  opened = [];
});
afterEach(async () => {
  for (const stores of opened) await stores.close();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** As another process of this user, at a time. */
function open(now = Date.now(), kind: RecordKind = 'upload') {
  const stores = new Stores({ state: folder, cache: undefined }, () => {}, Date.now);
  opened.push(stores);
  return uploadRecords(kind, stores, () => now);
}

const rows = () => stateRows(folder, 'SELECT * FROM uploads');
const own = (owner: string) => stateRows(folder, 'UPDATE uploads SET owner = ?', owner);
const take = async (now?: number) => (await open(now).take('store', PATH)).length;

const [place = '', pid = ''] = ownMark().split('-');

test('a released record is taken with its parts, once', async () => {
  const record = await open().create(HEAD);
  await record.add(part(1));
  await record.add({ ...part(2), crc32: 0xffffffff });
  expect(await take()).toBe(0);
  expect(await record.release()).toBe(true);
  expect(await open().take('store', 'bucket/other')).toEqual([]);
  expect(await open().take('another', PATH)).toEqual([]);
  expect(await open(Date.now(), 'download').take('store', PATH)).toEqual([]);
  const [taken] = await open().take('store', PATH);
  expect(taken?.head).toEqual(HEAD);
  expect(taken?.parts).toEqual([part(1), { ...part(2), crc32: 0xffffffff }]);
  expect(await take()).toBe(0);
  await taken?.delete();
  expect([rows(), stateRows(folder, 'SELECT * FROM upload_parts')]).toEqual([[], []]);
  expect(await taken?.release()).toBe(false);
});

test('of two that take it at the same time one has it; the newest comes first', async () => {
  for (const [at, id] of ['older', 'newer'].entries()) {
    const record = await open(1000 + at).create({ ...HEAD, id });
    await record.release();
  }
  const [one, other] = [open(), open()];
  const both = await Promise.all([one.take('store', PATH), other.take('store', PATH)]);
  expect(both.map((taken) => taken.map(({ head }) => head.id)).sort()).toEqual([
    [],
    ['newer', 'older'],
  ]);
});

test('who lost a record changes nothing', async () => {
  const record = await open().create(HEAD);
  await record.add(part(1));
  own(`${place}-${pid}-0`);
  expect(await take()).toBe(1);
  own('another');
  await record.add(part(2));
  expect(await record.release()).toBe(false);
  await record.delete();
  expect(rows()).toMatchObject([{ owner: 'another' }]);
  expect(stateRows(folder, 'SELECT number FROM upload_parts')).toEqual([{ number: 1 }]);
});

test('only the user can read it', async () => {
  await open().create(HEAD);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'state.db'))).mode & 0o777).toBe(0o600);
});

test('the record of a process that has ended is taken, of a running one not', async () => {
  await open().create(HEAD);
  own(`${place}-${pid}-0`);
  expect(await take()).toBe(1);
  expect(await take()).toBe(0);
});

test('of another machine it is taken after a day', async () => {
  await open().create(HEAD);
  own('00000000-1-1');
  stateRows(folder, 'UPDATE uploads SET machine = ?', 'another');
  expect(await take()).toBe(0);
  expect(await take(Date.now() + 1.1 * DAY_MS)).toBe(1);
});

test('of an earlier boot of this machine it is taken', async () => {
  await open().create(HEAD);
  own('00000000-1-1');
  expect(rows()).toMatchObject([machineBoot()]);
  expect(await take()).toBe(0);
  stateRows(folder, 'UPDATE uploads SET boot = ?', 'an earlier one');
  expect(await take()).toBe(1);
});

test('old records are those of this server that nothing was added to for a week', async () => {
  const old = Date.now() - 7.1 * DAY_MS;
  for (const store of ['store', 'another'])
    await (await open(old).create({ ...HEAD, store })).release();
  const fresh = await open(old).create(HEAD);
  await fresh.release();
  const [touched, ...others] = await open().take('store', PATH);
  await touched?.add(part(1));
  for (const record of [touched, ...others]) await record?.release();
  const taken = await open().takeOld('store');
  expect(taken.map(({ head }) => head.store)).toEqual(['store']);
});

test('what looks for records makes no state', async () => {
  expect([await take(), await open().list(), await open().takeOld('store')]).toEqual([0, [], []]);
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('without a usable folder nothing is recorded, and nothing fails', async () => {
  await writeFile(folder, 'a file');
  const record = await open().create(HEAD);
  await record.add(part(1));
  await record.delete();
  expect(await record.release()).toBe(false);
  expect(await take()).toBe(0);
});

test('an upload goes on without its record if another program keeps the state', async () => {
  const record = await open().create(HEAD);
  await record.add(part(1));
  const other = new DatabaseSync(join(folder, 'state.db'));
  other.exec('BEGIN IMMEDIATE');
  await record.add(part(2));
  // What lacks a part is not added to: it would wait each time.
  other.exec('COMMIT');
  await record.add(part(3));
  expect(await record.release()).toBe(true);
  other.close();
  const [taken] = await open().take('store', PATH);
  expect(taken?.parts).toEqual([part(1)]);
});
