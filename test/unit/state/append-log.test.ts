import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonObject } from '../../../src/core/json-object.ts';
import { AppendLog } from '../../../src/state/append-log.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'append-log-'));
  path = join(dir, 'log');
});
afterEach(() => rm(dir, { recursive: true }));

test('lines are there as soon as they are appended, and may all be replaced', async () => {
  const log = new AppendLog(() => path);
  expect([...log.lines()]).toEqual([]);
  log.append('a\nb\n');
  expect([...log.lines()]).toEqual(['a', 'b']);
  log.rewrite(['c\n', 'd\n']);
  log.append('ü\n');
  log.sync();
  log.close();
  expect([...new AppendLog(() => path).lines()]).toEqual(['c', 'd', 'ü']);
});

test('a line follows one that a crash cut', async () => {
  await writeFile(path, '{"a":1}\n{"a":');
  const log = new AppendLog(() => path);
  log.append('{"a":3}\n');
  log.append('{"a":4}\n');
  log.close();
  const lines = [...log.lines()].map((line) => jsonObject(line));
  expect(lines).toEqual([{ a: 1 }, undefined, { a: 3 }, { a: 4 }]);
});

test('each time it is opened, its path is asked for again', () => {
  const log = new AppendLog(() => path);
  log.append('a\n');
  log.close();
  path = join(dir, 'other');
  log.append('b\n');
  log.close();
  expect([...log.lines()]).toEqual(['b']);
});

test.each(['', 'null', '1', '"a"', '{"a":'])('%j says nothing', (line) => {
  expect(jsonObject(line)).toBeUndefined();
});
