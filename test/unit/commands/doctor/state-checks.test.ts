import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CheckResult } from '../../../../commands/doctor/check.ts';
import { stateChecks } from '../../../../commands/doctor/state-checks.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { collect } from './collect.ts';

const NOW = Date.UTC(2026, 10, 20, 9);
const DAY = 86_400_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-doctor-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** Opens both databases and closes them, as a run does. */
async function run(nowMs = NOW, title?: string): Promise<void> {
  const stores = new Stores(
    { state: dir, cache: dir },
    () => {},
    () => nowMs,
  );
  const state = await stores.state();
  if (title !== undefined) state.exec(`CREATE TABLE ${title} (id TEXT)`);
  await stores.cache();
  await stores.close();
}

async function damage(name: string): Promise<void> {
  await writeFile(join(dir, name), 'x'.repeat(9000));
}

async function fixAll(): Promise<string[]> {
  const done: string[] = [];
  for await (const { fix } of stateChecks(dir, dir) as AsyncIterable<CheckResult>) {
    if (fix !== undefined) done.push(await fix());
  }
  return done;
}

test('before the first run there is nothing to check, and nothing is made', async () => {
  expect(await collect(stateChecks(dir, dir))).toEqual({
    'state-db': `ok: ${dir}/state.db, created when needed`,
    'cache-db': `ok: ${dir}/cache.db, created when needed`,
  });
  expect(await readdir(dir)).toEqual([]);
  expect(await collect(stateChecks(undefined, undefined))).toEqual({});
});

test('whole ones are named with their size', async () => {
  await run();
  const found = await collect(stateChecks(dir, dir));
  expect(found['state-db']).toMatch(/^ok: .*state\.db, [\d.]+ KiB$/);
  expect(found['cache-db']).toMatch(/^ok: .*cache\.db, [\d.]+ KiB$/);
});

test('damaged ones fail; --fix restores the copy of the state, and begins the cache again', async () => {
  await run(NOW, 'first');
  const copy = join(dir, 'state.db.copy');
  // It has secrets: URLs of upload sessions.
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  await utimes(copy, NOW / 1000, NOW / 1000);
  // The same day makes no other copy.
  await run(NOW + DAY / 2, 'second');
  await damage('state.db');
  await damage('cache.db');
  expect(await collect(stateChecks(dir, dir))).toEqual({
    'state-db': `failed: the state of syncer is damaged: ${dir}/state.db $ syncer doctor --fix`,
    'cache-db': `failed: the cache of syncer is damaged: ${dir}/cache.db $ syncer doctor --fix`,
  });
  expect(await fixAll()).toEqual([
    `restored the copy of 2026-11-20T09:00:00Z (what guards, bisync and the history knew since then is lost); the damaged one is ${dir}/state.db.damaged`,
    `the next run begins a new one; the damaged one is ${dir}/cache.db.damaged`,
  ]);
  expect(await readFile(join(dir, 'state.db.damaged'), 'utf8')).toBe('x'.repeat(9000));
  const stores = new Stores(
    { state: dir, cache: dir },
    () => {},
    () => NOW,
  );
  const tables = (await stores.state()).all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables.map(({ name }) => name)).toContain('first');
  expect(tables.map(({ name }) => name)).not.toContain('second');
  await stores.close();
});

test('a copy that is older than a day is made again', async () => {
  await run(NOW, 'first');
  await utimes(join(dir, 'state.db.copy'), NOW / 1000, NOW / 1000);
  await run(NOW + DAY, 'second');
  await damage('state.db');
  await fixAll();
  const stores = new Stores(
    { state: dir, cache: dir },
    () => {},
    () => NOW,
  );
  const tables = (await stores.state()).all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables.map(({ name }) => name)).toContain('second');
  await stores.close();
});

test('without a whole copy the next run begins again, and says what to do', async () => {
  await run();
  await damage('state.db');
  await damage('state.db.copy');
  expect(await fixAll()).toEqual([
    `there is no copy, and the next run begins a new one: run bisync with --resync; the damaged one is ${dir}/state.db.damaged`,
  ]);
  expect(await readdir(dir)).not.toContain('state.db');
});
