import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedPart, UploadHead } from '../../../src/core/upload-records.ts';
import { machineBoot, ownMark } from '../../../src/kit/owner-state.ts';
import { openUploadRecords } from '../../../src/upload-records/upload-records.ts';

const HEAD: UploadHead = {
  ...{ store: 'store', path: 'bucket/file', id: 'upload-1', partSize: 5, size: 12 },
  ...{ source: 'abc', options: 'def' },
};
const part = (number: number): RecordedPart => ({ number, size: 5, etag: `e${number}`, md5: '' });
const DAY_MS = 86_400_000;

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'syncer-test-')), 'uploads');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const open = (now = Date.now()) => openUploadRecords(folder, () => now);

/** The only record gets the name of another owner. */
async function own(owner: string): Promise<string> {
  const [name = ''] = await readdir(folder);
  const [place, , random] = name.split('.');
  const path = join(folder, `${place}.${owner}.${random}.jsonl`);
  await rename(join(folder, name), path);
  return path;
}

const [place = '', pid = ''] = ownMark().split('-');

test('a released record is taken with its parts, once', async () => {
  const record = open().create(HEAD);
  record.add(part(1));
  record.add(part(2));
  expect(open().take('store', 'bucket/file')).toEqual([]);
  expect(record.release()).toBe(true);
  expect(open().take('store', 'bucket/other')).toEqual([]);
  expect(open().take('another', 'bucket/file')).toEqual([]);
  const [taken] = open().take('store', 'bucket/file');
  expect(taken?.head).toMatchObject(HEAD);
  expect(taken?.parts).toEqual([part(1), part(2)]);
  expect(open().take('store', 'bucket/file')).toEqual([]);
  taken?.delete();
  await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(taken?.release()).toBe(false);
});

test('only the user can read it', async () => {
  open().create(HEAD);
  const [name = ''] = await readdir(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('the record of a process that has ended is taken, of a running one not', async () => {
  open().create(HEAD);
  await own(`${place}-${pid}-0`);
  expect(open().take('store', 'bucket/file')).toHaveLength(1);
  await own(ownMark());
  expect(open().take('store', 'bucket/file')).toEqual([]);
});

test('of another machine it is taken after a day', async () => {
  open().create(HEAD);
  await own('00000000-1-1');
  const path = join(folder, (await readdir(folder))[0] ?? '');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(machineBoot().machine, 'another'));
  expect(open().take('store', 'bucket/file')).toEqual([]);
  expect(open(Date.now() + 1.1 * DAY_MS).take('store', 'bucket/file')).toHaveLength(1);
});

test('of an earlier boot of this machine it is taken', async () => {
  open().create(HEAD);
  await own('00000000-1-1');
  const path = join(folder, (await readdir(folder))[0] ?? '');
  const text = await readFile(path, 'utf8');
  expect(open().take('store', 'bucket/file')).toEqual([]);
  await writeFile(path, text.replace(machineBoot().boot, 'an earlier one'));
  expect(open().take('store', 'bucket/file')).toHaveLength(1);
});

test('a line that is not whole is skipped; without a first line there is no record', async () => {
  const record = open().create(HEAD);
  record.add(part(1));
  record.release();
  const path = join(folder, (await readdir(folder))[0] ?? '');
  await appendFile(path, '{"number":2,"si');
  expect(open().take('store', 'bucket/file')[0]?.parts).toEqual([part(1)]);
  const torn = await own('free');
  await writeFile(torn, '{"store":"sto');
  expect(open().take('store', 'bucket/file')).toEqual([]);
});

test('old records are those of this server that nothing was added to for a week', async () => {
  open().create(HEAD).release();
  open()
    .create({ ...HEAD, store: 'another' })
    .release();
  expect(open().takeOld('store')).toEqual([]);
  const old = new Date(Date.now() - 7.1 * DAY_MS);
  for (const name of await readdir(folder)) await utimes(join(folder, name), old, old);
  expect(
    open()
      .takeOld('store')
      .map(({ head }) => head.store),
  ).toEqual(['store']);
});

test('without a usable folder nothing is recorded, and nothing fails', async () => {
  await writeFile(folder, 'a file');
  const record = open().create(HEAD);
  record.add(part(1));
  expect(record.release()).toBe(false);
  expect(open().take('store', 'bucket/file')).toEqual([]);
});
