import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  FILTER_CASES,
  inFolder,
  ourOutcome,
  recordable,
  writeFilterTree,
} from '../../support/filter-world.ts';
import { readRecord } from '../../support/record.ts';

// test/peers/rclone/filter.test.ts has recorded what rclone does.

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-filter-'));
  await writeFilterTree(dir);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const record = readRecord('filter');

test('every case of the filter has a result, and there are no others', () => {
  expect(Object.keys(record)).toEqual([...FILTER_CASES.keys()]);
});

test('the cases hold what is refused, what keeps nothing and what keeps some', () => {
  const outcomes = ['{{(?=a)}}', 'a/', '*.txt'].map((pattern) => record[`--include ${pattern}`]);
  expect(outcomes).toMatchObject([
    'refused',
    { kept: [] },
    { kept: expect.arrayContaining(['a.txt']) },
  ]);
});

test.each([...FILTER_CASES])('rules and kept files are those of rclone: %s', async (name, args) => {
  expect(recordable(await ourOutcome(join(dir, 'tree'), inFolder(args, dir)))).toEqual(
    record[name],
  );
});
