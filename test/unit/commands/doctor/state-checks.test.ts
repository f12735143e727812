import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CheckResult } from '../../../../commands/doctor/check.ts';
import { stateChecks } from '../../../../commands/doctor/folder-checks.ts';
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
    `restored the copy of 2026-11-20T09:00:00Z: what guards and the history knew since then is lost; run bisync with --resync, which deletes nothing; what was damaged is ${dir}/state.db.damaged`,
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

test('a missing table is damage: the copy of the day before stays, and is restored', async () => {
  await run(NOW, 'first');
  await utimes(join(dir, 'state.db.copy'), NOW / 1000, NOW / 1000);
  const stores = new Stores(
    { state: dir, cache: dir },
    () => {},
    () => NOW + DAY,
  );
  (await stores.state()).exec('DROP TABLE guard_pairs');
  await stores.close();
  expect(await collect(stateChecks(dir, undefined))).toEqual({
    'state-db': `failed: the state of syncer is damaged: ${dir}/state.db: no table guard_pairs $ syncer doctor --fix`,
  });
  await fixAll();
  await run(NOW + DAY);
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toMatch(/^ok/);
});

test('without a whole copy the state begins again, and what was damaged is kept', async () => {
  await run();
  const bad = ['state.db', 'state.db.copy'];
  for (const name of bad) await damage(name);
  const aside = (end: string) => bad.map((name) => `${dir}/${name}.damaged${end}`).join(' and ');
  const done = (end: string) =>
    `began a new one: its copy is damaged, too; run bisync with --resync, which deletes nothing; what was damaged is ${aside(end)}`;
  expect(await fixAll()).toEqual([done('')]);
  await run();
  for (const name of bad) await damage(name);
  expect(await fixAll()).toEqual([done('-2')]);
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toMatch(/^ok/);
});

test.each(['gone', 'empty'])('a state that is %s although there was one fails', async (how) => {
  await run(NOW, 'first');
  const file = join(dir, 'state.db');
  if (how === 'gone') await rm(file);
  else await writeFile(file, '');
  expect(await collect(stateChecks(dir, undefined))).toEqual({
    'state-db': `failed: the state of syncer is ${how}: ${file} $ syncer doctor --fix`,
  });
  await fixAll();
  const stores = new Stores({ state: dir, cache: undefined }, () => {});
  const tables = (await stores.state()).all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables.map(({ name }) => name)).toContain('first');
  await stores.close();
});

test('a journal shows that there was a state, too, if it is not of the run that begins one', async () => {
  const journal = join(dir, 'runs/20261120-080000-7k3f');
  await mkdir(journal, { recursive: true });
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toMatch(/^ok/);
  await utimes(journal, NOW / 1000 - 3600, NOW / 1000 - 3600);
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toContain('is gone');
  expect(await fixAll()).toEqual([
    'began a new one: there is no copy; run bisync with --resync, which deletes nothing',
  ]);
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toMatch(/^ok/);
  // Earlier versions had another state.
  await rm(join(dir, 'state.db'));
  await writeFile(join(dir, 'runs.jsonl'), '');
  expect((await collect(stateChecks(dir, undefined)))['state-db']).toMatch(/^ok/);
});

test('a link that leads nowhere fails', async () => {
  await symlink('/nonexistent/x', join(dir, 'state.db'));
  expect(await collect(stateChecks(dir, undefined))).toEqual({
    'state-db': `failed: not a regular file: ${dir}/state.db; move it away`,
  });
});
