import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type LogLine,
  loadLog,
  type ObjectRecord,
  textOf,
} from '../../../../../src/serve/s3/store/object-record.ts';
import { AppendLog } from '../../../../../src/state/append-log.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'syncer-log-'));
  path = join(dir, 'records.log');
});
afterEach(() => rmSync(dir, { recursive: true }));

const openLog = () => new AppendLog(() => path);
const text = (...lines: LogLine[]) => lines.map(textOf).join('');
const record = (key: string, etag = 'e'): ObjectRecord => ({
  ...{ key, file: key, size: 1, mtimeMs: 1.5, ino: 2, etag, modified: 3 },
  headers: { 'x-amz-meta-a': 'ü' },
});

test('the last line about a key counts', () => {
  const log = openLog();
  log.append(text({ put: record('a') }, { put: record('b') }));
  log.append(text({ put: record('a', 'new') }, { del: 'b' }));
  log.append(text({ old: 'a', versions: [{ marker: true, versionId: '1', modified: 2 }] }));
  log.close();
  const loaded = loadLog(openLog());
  expect([...loaded.records.values()]).toEqual([record('a', 'new')]);
  expect([...loaded.history.keys()]).toEqual(['a']);
  expect(loaded).toMatchObject({ replaced: record('a'), lines: 5, intact: true });
});

test('a missing log is empty', () => {
  expect(loadLog(openLog())).toMatchObject({ lines: 0, intact: true, replaced: undefined });
});

test('keys of any bytes', () => {
  const key = 'a\udcff\n"\\😀\x00';
  const log = openLog();
  log.append(text({ put: record(key) }));
  log.close();
  expect(loadLog(openLog()).records.get(key)).toEqual(record(key));
});

test('cut anywhere, all lines before the cut are there, and new ones can follow', () => {
  const log = openLog();
  log.append(text({ put: record('a') }));
  log.append(text({ put: record('b') }));
  log.close();
  const whole = readFileSync(path);
  const second = whole.lastIndexOf('{"put"');
  for (let size = 0; size < whole.length; size++) {
    writeFileSync(path, whole);
    truncateSync(path, size);
    const again = openLog();
    again.append(text({ put: record('c') }));
    again.close();
    // A line that lacks nothing but its end is whole.
    const wanted =
      size >= whole.length - 1 ? ['a', 'b', 'c'] : size >= second - 1 ? ['a', 'c'] : ['c'];
    expect([...loadLog(openLog()).records.keys()], `cut at ${size}`).toEqual(wanted);
  }
});

test('lines that make no sense are passed over', () => {
  appendFileSync(path, 'null\n{}\n[1]\n{"put":\n');
  const log = openLog();
  log.append(text({ put: record('a') }));
  log.close();
  expect(loadLog(openLog())).toMatchObject({ lines: 1, intact: false });
});

test('made anew, it holds what it is given, and takes more', () => {
  const log = openLog();
  for (let i = 0; i < 10; i++) log.append(text({ put: record('a', String(i)) }));
  log.rewrite([text({ put: record('a', 'last') })]);
  log.append(text({ put: record('b') }));
  log.close();
  expect(loadLog(openLog())).toMatchObject({ lines: 2, intact: true });
  expect([...loadLog(openLog()).records.values()].map(({ etag }) => etag)).toEqual(['last', 'e']);
});
