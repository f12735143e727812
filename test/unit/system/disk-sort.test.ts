import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskSorter } from '../../../src/system/disk-sort.ts';

interface Entry {
  readonly key: number;
  readonly text: string;
  readonly time: bigint;
}

const byKey = (a: Entry, b: Entry) => a.key - b.key;

async function inFolder(work: (folder: string) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-test-'));
  try {
    work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each([0, 1, 255, 256, 257, 250_001])(
  '%i records come in order, equal ones as they were added',
  async (count) => {
    await inFolder((folder) => {
      const sorter = new DiskSorter<Entry>(byKey, 30_000, folder);
      // 7919 has no factor in common with the number of keys: every key comes about 250 times.
      const at = (i: number) => ({ key: (i * 7919) % 1000, text: `\udc80 ${i}`, time: BigInt(i) });
      for (let from = 0; from < count; from += 777) {
        sorter.add(Array.from({ length: Math.min(777, count - from) }, (_, i) => at(from + i)));
      }
      expect(readdirSync(folder)).toEqual([]);
      let [last, found] = [at(0), 0];
      for (const page of sorter.pages(1000)) {
        expect(page.length).toBeLessThanOrEqual(1000);
        for (const record of page) {
          const i = Number(record.time);
          if (record.text !== `\udc80 ${i}` || record.key !== at(i).key)
            expect.fail('another record');
          const isAfter =
            byKey(last, record) < 0 || (last.key === record.key && last.time < record.time);
          if (found > 0 && !isAfter) expect.fail(`${record.key} ${i} is out of order`);
          last = record;
          found++;
        }
      }
      expect(found).toBe(count);
      sorter.close();
    });
  },
);

test('a folder that is missing is named', async () => {
  expect(() => new DiskSorter(() => 0, undefined, '/no/such/folder')).toThrow(
    'temporary file of a large listing',
  );
});
