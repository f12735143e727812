import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/core/context.ts';
import { QuickDisk } from '../../../../src/system/quick-disk.ts';
import { Journal, type JournalRecord } from '../../../../src/vfs/contents/journal.ts';

const disk = new QuickDisk(systemClock);

const id = (n: number) => n.toString(16).padStart(24, '0');

function journalPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'syncer-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'journal');
}

function record(journal: Journal, n: number, path = `f${n}`): JournalRecord {
  return {
    id: id(n),
    number: journal.nextNumber(),
    path,
    state: 'pending',
    size: 5,
    modTime: '7',
    edges: [0, 5],
    boot: 'b',
    used: 1,
  };
}

test('is read back as it was written, wherever it was cut', async () => {
  const path = journalPath();
  const journal = new Journal(path, disk);
  await journal.put(record(journal, 1, 'dir/\udcff'));
  await journal.put(record(journal, 2));
  await journal.moveDir('dir', 'new');
  await journal.drop([id(2)]);
  await journal.close();
  expect([...new Journal(path, disk).records.values()]).toMatchObject([{ path: 'new/\udcff' }]);

  truncateSync(path, statSync(path).size - 3);
  const cut = new Journal(path, disk);
  expect([...cut.records.keys()]).toEqual([id(1), id(2)]);
  await cut.put(record(cut, 3));
  await cut.close();
  expect([...new Journal(path, disk).records.keys()]).toEqual([id(1), id(2), id(3)]);
});

test('a mark of safety counts for the record it was made for', async () => {
  const journal = new Journal(journalPath(), disk);
  const first = record(journal, 1);
  await journal.put(first);
  await journal.put(record(journal, 1));
  await journal.markSafe([[first.id, first.number]]);
  expect(journal.records.get(first.id)?.safe).toBeUndefined();
  const last = record(journal, 1);
  await journal.put(last);
  await journal.markSafe([[last.id, last.number]]);
  expect(journal.records.get(last.id)?.safe).toBe(true);
  await journal.close();
});

test('lines that are not whole, or not of a journal, are passed over', async () => {
  const path = journalPath();
  const journal = new Journal(path, disk);
  await journal.put(record(journal, 1));
  await journal.close();
  const line = readFileSync(path, 'utf8');
  appendFileSync(path, line.replace('f1', 'f9'));
  appendFileSync(path, `\0\0\0\n{}\n\n${line.slice(20)}`);
  expect([...new Journal(path, disk).records.values()]).toMatchObject([{ path: 'f1' }]);
});

test('does not grow for ever', async () => {
  const path = journalPath();
  const journal = new Journal(path, disk);
  for (let i = 0; i < 400; i++) {
    const each = { ...record(journal, 1), path: 'x'.repeat(20_000) };
    await Promise.all([journal.put(each), journal.put(record(journal, 2))]);
  }
  await journal.sync();
  await journal.close();
  expect(statSync(path).size).toBeLessThan(4_800_000);
  expect([...new Journal(path, disk).records.keys()]).toEqual([id(1), id(2)]);
});

test('a journal that cannot be rewritten leaves no descriptor open', async () => {
  const path = journalPath();
  const journal = new Journal(path, disk);
  await journal.put(record(journal, 1));
  await journal.close();
  const next = new Journal(path, disk);
  rmSync(path);
  mkdirSync(path);
  for (let i = 2; i < 5; i++) await expect(next.put(record(next, i))).rejects.toThrow();
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  expect(open.filter((name) => name.startsWith(path))).toEqual([]);
  await next.close();
});

test('a record with a content is whole or not there', async () => {
  const path = journalPath();
  const journal = new Journal(path, disk);
  const content = Buffer.alloc(16_384, 'some text').toString('base64');
  await journal.put({ ...record(journal, 1), content });
  await journal.sync();
  const { size } = statSync(path);
  await journal.put({ ...record(journal, 1), content: `AAAA${content}` });
  // As a power cut leaves it: zeros behind, and some of the last line.
  const bytes = readFileSync(path);
  const end = bytes.indexOf(0);
  expect(bytes.length).toBe(size);
  const at = join(path, '..', 'cut');
  for (const [cut, expected] of [
    [end, `AAAA${content}`],
    [end - 1, content],
    [end - 2, content],
    [end - 16_000, content],
    [Math.floor(end / 2), content],
    [100, undefined],
  ] as const) {
    writeFileSync(at, Buffer.from(bytes).fill(0, cut));
    expect(new Journal(at, disk).records.get(id(1))?.content, `cut at ${cut}`).toBe(expected);
  }
  await journal.close();
  expect(statSync(path).size).toBe(end);
});

test('holds contents only up to a limit', async () => {
  const journal = new Journal(journalPath(), disk);
  const content = 'A'.repeat(2 * 1024 * 1024);
  for (let n = 1; n <= 3; n++) await journal.put({ ...record(journal, n), content });
  expect([journal.takesContent(16_384), journal.takesContent(2_000_000)]).toEqual([true, false]);
  await journal.drop([id(1)]);
  expect(journal.takesContent(2_000_000)).toBe(true);
  await journal.close();
});

test('those who wait for the disk at the same time share one sync', async () => {
  const journal = new Journal(journalPath(), disk);
  await journal.put(record(journal, 1));
  const first = journal.sync();
  const put = journal.put(record(journal, 2));
  // The first one has not ended yet.
  const second = journal.sync();
  expect(second).not.toBe(first);
  expect(journal.sync()).toBe(second);
  await Promise.all([put, second]);
  await journal.close();
});

/** Written before journals held contents and ended with zeros. */
const EARLIER = [
  '5e720b23 {"put":{"id":"3f9ed8b6aa1d4a69dc7e8f01","number":90,"path":"small/7","state":"open","size":0,"modTime":"1795200000000000000","edges":[],"boot":"b1","used":1}}',
  'd91b782c {"put":{"id":"3f9ed8b6aa1d4a69dc7e8f01","number":91,"path":"small/7","state":"pending","size":12,"modTime":"1795200000000000000","edges":[0,12],"boot":"b1","used":1}}',
  '0e697a4e {"safe":[["3f9ed8b6aa1d4a69dc7e8f01",91]]}',
  '5e1a32aa {"dir":["small","smaller"]}',
  '',
].join('\n');

test('a journal of an earlier version is read', () => {
  const path = journalPath();
  writeFileSync(path, EARLIER);
  expect([...new Journal(path, disk).records.values()]).toEqual([
    expect.objectContaining({ path: 'smaller/7', state: 'pending', size: 12, safe: true }),
  ]);
});
