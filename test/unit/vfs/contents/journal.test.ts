import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../../../src/vfs/contents/journal.ts';
import type { JournalRecord } from '../../../../src/vfs/contents/journal-record.ts';

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
  const journal = new Journal(path);
  await journal.put(record(journal, 1, 'dir/\udcff'));
  await journal.put(record(journal, 2));
  await journal.moveDir('dir', 'new');
  await journal.drop([id(2)]);
  await journal.close();
  expect([...new Journal(path).records.values()]).toMatchObject([{ path: 'new/\udcff' }]);

  truncateSync(path, statSync(path).size - 3);
  const cut = new Journal(path);
  expect([...cut.records.keys()]).toEqual([id(1), id(2)]);
  await cut.put(record(cut, 3));
  await cut.close();
  expect([...new Journal(path).records.keys()]).toEqual([id(1), id(2), id(3)]);
});

test('a mark of safety counts for the record it was made for', async () => {
  const journal = new Journal(journalPath());
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
  const journal = new Journal(path);
  await journal.put(record(journal, 1));
  await journal.close();
  const line = readFileSync(path, 'utf8');
  appendFileSync(path, line.replace('f1', 'f9'));
  appendFileSync(path, `\0\0\0\n{}\n\n${line.slice(20)}`);
  expect([...new Journal(path).records.values()]).toMatchObject([{ path: 'f1' }]);
});

test('does not grow for ever', async () => {
  const path = journalPath();
  const journal = new Journal(path);
  for (let i = 0; i < 400; i++) {
    const each = { ...record(journal, 1), path: 'x'.repeat(5000) };
    await Promise.all([journal.put(each), journal.put(record(journal, 2))]);
  }
  await journal.sync();
  await journal.close();
  expect(statSync(path).size).toBeLessThan(1_200_000);
  expect([...new Journal(path).records.keys()]).toEqual([id(1), id(2)]);
});
