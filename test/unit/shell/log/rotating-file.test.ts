import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/core/context.ts';
import { partialPath } from '../../../../src/names/partial-name.ts';
import { openRotatingFile, type Rotation } from '../../../../src/shell/log/rotating-file.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';

const KILO = 1024;
const START = new Date(2026, 10, 22, 10, 0, 0, 5).getTime();

let dir: string;
let now: number;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-log-'));
  now = START;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (rotation: Partial<Rotation> = {}) =>
  openRotatingFile(
    join(dir, 'l.log'),
    { maxSize: 1, maxBackups: 0, maxAgeMs: 0, compress: false, ...rotation },
    { ...systemClock, now: () => now },
  );
const line = (letter: string) => Buffer.from(`${letter.repeat(600 * KILO - 1)}\n`);
const names = async () => (await readdir(dir)).sort();

test('a file is renamed before it exceeds its size; no line is parted or lost', async () => {
  const log = open();
  for (const letter of 'abc') {
    log.write(line(letter));
    now += 1000;
  }
  log.close();
  expect(await names()).toEqual([
    'l-2026-11-22T10-00-01.005.log',
    'l-2026-11-22T10-00-02.005.log',
    'l.log',
  ]);
  const texts = await Promise.all((await names()).map((name) => readFile(join(dir, name))));
  expect(texts.map((text) => [text.length, String.fromCharCode(text[0] ?? 0)])).toEqual([
    [600 * KILO, 'a'],
    [600 * KILO, 'b'],
    [600 * KILO, 'c'],
  ]);
  expect((await stat(join(dir, 'l.log'))).mode & 0o777).toBe(0o640);
});

test('a file of an earlier run counts, and a line larger than the size is written whole', async () => {
  await writeFile(join(dir, 'l.log'), line('a'));
  const log = open();
  log.write(Buffer.alloc(2000 * KILO, 'b'));
  log.close();
  expect(await names()).toEqual(['l-2026-11-22T10-00-00.005.log', 'l.log']);
  expect((await stat(join(dir, 'l.log'))).size).toBe(2000 * KILO);
});

test('old files that are too many or too old go; others stay', async () => {
  const old = ['l-2026-11-20T10-00-00.000.log', 'l-2026-11-21T11-00-00.000.log.gz'];
  const others = ['l-foo.log', 'k-2026-01-01T00-00-00.000.log', 'l-2026-11-20T10-00-00.000.txt'];
  const make = () => Promise.all([...old, ...others].map((name) => writeFile(join(dir, name), '')));
  await make();
  open({ maxBackups: 1 }).close();
  expect(await names()).toEqual([...others, old[1], 'l.log'].sort());
  await make();
  open({ maxAgeMs: 24 * 3_600_000 }).close();
  expect(await names()).toEqual([...others, old[1], 'l.log'].sort());
});

test('old files are compressed', async () => {
  const log = open({ compress: true });
  log.write(line('a'));
  log.write(line('b'));
  await vi.waitFor(async () =>
    expect(await names()).toEqual(['l-2026-11-22T10-00-00.005.log.gz', 'l.log']),
  );
  log.close();
  const packed = await readFile(join(dir, 'l-2026-11-22T10-00-00.005.log.gz'));
  expect(gunzipSync(packed).equals(line('a'))).toBe(true);
});

test('what runs that have ended left is deleted, and what another run writes is not', async () => {
  const old = ['l-2026-11-20T10-00-00.000.log', 'l-2026-11-21T10-00-00.000.log'] as const;
  for (const name of old) await writeFile(join(dir, name), name);
  const [place, pid] = ownMark().split('-');
  const alive = basename(partialPath(`${old[0]}.gz`, ownMark(), '0'));
  // The process that had its number before.
  const dead = basename(partialPath(`${old[1]}.gz`, `${place}-${pid}-0`, '0'));
  for (const name of [alive, dead]) await writeFile(join(dir, name), '');
  const log = open({ compress: true });
  await vi.waitFor(async () =>
    expect(await names()).toEqual([alive, `${old[0]}.gz`, `${old[1]}.gz`, 'l.log']),
  );
  log.close();
});

test('a file that another run has renamed is left alone, and so is a backup of that name', async () => {
  const log = open();
  log.write(line('a'));
  await rename(join(dir, 'l.log'), join(dir, 'l-2026-11-22T10-00-00.005.log'));
  log.write(line('b'));
  log.write(line('c'));
  log.close();
  expect((await readFile(join(dir, 'l-2026-11-22T10-00-00.005.log'))).equals(line('a'))).toBe(true);
  expect((await stat(join(dir, 'l.log'))).size).toBe(1200 * KILO);
});

test('a run that ends while it compresses leaves the file as it is', async () => {
  const log = open({ compress: true });
  // It takes a second to compress.
  log.write(randomBytes(32 * KILO * KILO));
  log.write(line('b'));
  await vi.waitFor(async () => expect((await names())[0]).toMatch(/partial/), { interval: 5 });
  log.close();
  await vi.waitFor(async () =>
    expect(await names()).toEqual(['l-2026-11-22T10-00-00.005.log', 'l.log']),
  );
});
