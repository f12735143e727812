import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { DamagedDatabase } from '../../../src/core/errors.ts';
import { CacheAccess } from '../../../src/state/cache-access.ts';
import { Database, type Schema } from '../../../src/state/database.ts';
import { knownMarker } from '../../../src/state/guards.ts';
import { Stores } from '../../../src/state/stores.ts';

const SCHEMA: Schema = {
  file: 'test.db',
  title: 'the test',
  steps: ['CREATE TABLE pairs (name TEXT PRIMARY KEY, value INTEGER)'],
};

async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-test-state-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const open = (dir: string, schema = SCHEMA, onWait = () => {}) =>
  Database.open(dir, schema, onWait);

test('is created with its directory, and only the user can read it', async () => {
  const dir = join(await temporaryFolder(), 'a', 'b');
  const database = await open(dir);
  expect(database.run('INSERT INTO pairs VALUES (?, ?)', 'one', 1)).toBe(1);
  for (const end of ['', '-wal', '-shm']) {
    expect((await stat(join(dir, `test.db${end}`))).mode & 0o777).toBe(0o600);
  }
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  database.close();
  expect((await open(dir)).all('SELECT * FROM pairs')).toEqual([{ name: 'one', value: 1 }]);
});

test('goes from each version to the newest, and refuses a newer one', async () => {
  const dir = await temporaryFolder();
  const first = await open(dir);
  first.run('INSERT INTO pairs VALUES (?, ?)', 'one', 1);
  first.close();
  const newer = {
    ...SCHEMA,
    steps: [
      ...SCHEMA.steps,
      'ALTER TABLE pairs ADD COLUMN more TEXT; CREATE TABLE others (id TEXT)',
    ],
  };
  const second = await open(dir, newer);
  expect(second.all('SELECT * FROM pairs')).toEqual([{ name: 'one', value: 1, more: null }]);
  second.close();
  await expect(open(dir)).rejects.toMatchObject({
    code: 'config',
    message: `the test in ${join(dir, 'test.db')} was written by a newer syncer`,
    advice: 'update this one, or set XDG_STATE_HOME to another directory',
  });
});

test('a version that cannot be reached changes nothing', async () => {
  const dir = await temporaryFolder();
  (await open(dir)).close();
  const broken = { ...SCHEMA, steps: [...SCHEMA.steps, 'CREATE TABLE a (id TEXT); NONSENSE'] };
  await expect(open(dir, broken)).rejects.toMatchObject({ code: 'config' });
  const after = await open(dir);
  expect(after.all("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([
    { name: 'pairs' },
  ]);
});

test('work that throws changes nothing', async () => {
  const database = await open(await temporaryFolder());
  const work = () => {
    database.run('INSERT INTO pairs VALUES (?, ?)', 'one', 1);
    throw new RangeError('no');
  };
  await expect(database.write(work)).rejects.toThrow(RangeError);
  expect(database.all('SELECT * FROM pairs')).toEqual([]);
  await database.write(() => database.run('INSERT INTO pairs VALUES (?, ?)', 'two', 2));
  expect(database.all('SELECT name FROM pairs')).toEqual([{ name: 'two' }]);
});

test('waits for another writer, says so after a second, and ends with the signal', async () => {
  const dir = await temporaryFolder();
  const said: string[] = [];
  const database = await open(dir, SCHEMA, () => said.push('waiting'));
  const other = new DatabaseSync(join(dir, 'test.db'));
  other.exec("BEGIN IMMEDIATE; INSERT INTO pairs VALUES ('other', 0)");
  const stopped = new AbortController();
  const add = (name: string, signal?: AbortSignal) =>
    database.write(() => database.run('INSERT INTO pairs VALUES (?, 1)', name), signal);
  const ends = add('stopped', stopped.signal);
  await expect.poll(() => said).toEqual(['waiting']);
  // Readers wait for nobody.
  expect(await database.read(() => database.all('SELECT * FROM pairs'))).toEqual([]);
  expect(() => database.writeNow(() => 1)).toThrow(/^another program uses the test: /);
  stopped.abort(new Error('enough'));
  await expect(ends).rejects.toThrow('enough');
  const waits = add('later');
  other.exec('COMMIT');
  await waits;
  expect(database.all('SELECT name FROM pairs ORDER BY name DESC')).toEqual([
    { name: 'other' },
    { name: 'later' },
  ]);
});

test('several processes that open and write at the same time lose nothing', async () => {
  const dir = await temporaryFolder();
  const program = join(import.meta.dirname, '../../support/write-database.ts');
  const names = ['a', 'b', 'c', 'd'];
  const run = promisify(execFile);
  await Promise.all(names.map((name) => run(process.execPath, [program, dir, name, '50'])));
  const database = await open(dir);
  const rows = database.all('SELECT name FROM pairs ORDER BY name');
  expect(rows.length).toBe(names.length * 50);
  expect(database.fault()).toBeUndefined();
});

test.each(['no database at all, but text'.repeat(300), ''])(
  'a damaged file is told apart',
  async (text) => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'test.db'), text);
    const opened = open(dir);
    // An empty file is what SQLite itself begins with.
    if (text === '') return void (await opened);
    const thrown = await opened.catch((error: unknown) => error);
    expect(thrown instanceof DamagedDatabase).toBe(true);
    expect(thrown).toMatchObject({ code: 'config', advice: 'run "syncer doctor --fix"' });
    expect(await readFile(join(dir, 'test.db'), 'utf8')).toBe(text);
  },
);

test('the loss of the log of changes does not undo a lasting transaction', async () => {
  const dir = await temporaryFolder();
  const database = await open(dir);
  const add = (name: string, how?: 'lasting') => {
    const sql = 'INSERT INTO pairs VALUES (?, 1)';
    return database.write(() => database.run(sql, name), undefined, how);
  };
  await add('one', 'lasting');
  await add('two');
  await mkdir(join(dir, 'other'));
  await copyFile(join(dir, 'test.db'), join(dir, 'other/test.db'));
  database.close();
  const without = await open(join(dir, 'other'));
  expect(without.all('SELECT name FROM pairs')).toEqual([{ name: 'one' }]);
  without.close();
});

test('the log of changes stays short: each process reads it as it begins', async () => {
  const dir = await temporaryFolder();
  for (let n = 0; n < 200; n++) {
    const database = await open(dir);
    await database.write(() => database.run('INSERT INTO pairs VALUES (?, ?)', `name ${n}`, n));
  }
  expect((await stat(join(dir, 'test.db-wal'))).size).toBeLessThan(600_000);
});

test.each(['gone', 'empty'])('a state that is %s is not begun again in silence', async (how) => {
  const dir = await temporaryFolder();
  const folders = { state: dir, cache: undefined };
  const first = new Stores(folders, () => {});
  await first.state();
  await first.close();
  const file = join(dir, 'state.db');
  if (how === 'gone') await rm(file);
  else await writeFile(file, '');
  const said: string[] = [];
  const second = new Stores(folders, (text) => said.push(text));
  for (const open of [second.state(), second.look(undefined, () => {})]) {
    const thrown = await open.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DamagedDatabase);
    expect(thrown).toMatchObject({ message: `the state of syncer is ${how}: ${file}` });
  }
  await second.tryState('this run is not in the history', () => {});
  await second.tryState('"syncer ps" does not list this process', () => {});
  const why = `the state of syncer is ${how}: ${file}; run "syncer doctor --fix"`;
  expect(said).toEqual([`this run is not in the history: ${why}`]);
  await second.close();
  expect(existsSync(`${file}.copy`)).toBe(true);
});

test('a state that is deleted while a run uses it is said, and its copy is the last', async () => {
  const dir = await temporaryFolder();
  const folders = { state: dir, cache: undefined };
  const first = new Stores(folders, () => {});
  await first.state();
  await first.close();
  const said: string[] = [];
  const second = new Stores(folders, (text) => said.push(text));
  (await second.state()).exec('CREATE TABLE last (id TEXT)');
  const file = join(dir, 'state.db');
  for (const end of ['', '-wal', '-shm']) await rm(file + end);
  await second.close();
  expect(said).toEqual([
    `the state of syncer was deleted during this run: ${file}; run "syncer doctor --fix", which restores it`,
  ]);
  const copy = new DatabaseSync(`${file}.copy`, { readOnly: true });
  expect(copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'last'").all().length).toBe(1);
  copy.close();
});

test.each(['-wal', '-shm', ''])(
  'a path that SQLite only fails to open is named: %s',
  async (end) => {
    const dir = await temporaryFolder();
    (await open(dir)).close();
    const path = join(dir, `test.db${end}`);
    if (end === '') {
      await rm(path);
      await symlink('/nonexistent/x', path);
    } else {
      await mkdir(path);
    }
    await expect(open(dir)).rejects.toMatchObject({
      message: `not a regular file: ${path}`,
      advice: 'move it away',
    });
  },
);

test.skipIf(!existsSync('/proc/locks'))(
  'the process that keeps a database busy is named',
  async () => {
    const dir = await temporaryFolder();
    const database = await open(dir);
    const text = `const { DatabaseSync } = require('node:sqlite');
    const other = new DatabaseSync(${JSON.stringify(database.path)});
    other.exec('BEGIN IMMEDIATE');
    console.log('ready');
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'data');
    expect(() => database.writeNow(() => {})).toThrow(
      `process ${child.pid} uses the test: ${database.path}`,
    );
  },
);

test('a state that is replaced while a run uses it is said', async () => {
  const dir = await temporaryFolder();
  const said: string[] = [];
  const stores = new Stores({ state: dir, cache: undefined }, (text) => said.push(text));
  await stores.state();
  const file = join(dir, 'state.db');
  await writeFile(join(dir, 'other'), '');
  await rename(join(dir, 'other'), file);
  await stores.close();
  expect(said).toEqual([
    `the state of syncer was replaced during this run, which is not in it: ${file}`,
  ]);
});

test('a database of another program gets no tables', async () => {
  const dir = await temporaryFolder();
  const other = new DatabaseSync(join(dir, 'test.db'));
  other.exec('CREATE TABLE foo (a)');
  const thrown = await open(dir).catch((error: unknown) => error);
  expect(thrown).toMatchObject({
    message: `the test is another database: ${join(dir, 'test.db')}`,
  });
  expect(thrown).toBeInstanceOf(DamagedDatabase);
  expect(other.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'foo' }]);
  other.close();
});

test('what is no file is refused', async () => {
  const dir = await temporaryFolder();
  await mkdir(join(dir, 'test.db'));
  await expect(open(dir)).rejects.toThrow(`not a regular file: ${join(dir, 'test.db')}`);
});

test('a damaged cache is put aside with one notice, and made anew', async () => {
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'cache.db'), 'x'.repeat(5000));
  const said: string[] = [];
  const stores = new Stores({ state: undefined, cache: dir }, (text) => said.push(text), Date.now);
  const cache = await stores.cache();
  expect(cache?.fault()).toBeUndefined();
  expect(await readFile(join(dir, 'cache.db.damaged'), 'utf8')).toBe('x'.repeat(5000));
  expect(said).toEqual([
    `the cache was damaged, and a new one is made; the old one is ${join(dir, 'cache.db.damaged')}`,
  ]);
  await stores.close();
});

test('a cache that is deleted while it is used is made again', async () => {
  const dir = await temporaryFolder();
  const folders = { state: undefined, cache: dir };
  const first = new Stores(folders, () => {}, Date.now);
  const cache = await first.cache();
  for (const end of ['', '-wal', '-shm']) {
    await rm(join(dir, `cache.db${end}`));
  }
  const second = new Stores(folders, () => {}, Date.now);
  expect((await second.cache())?.fault()).toBeUndefined();
  expect(cache?.fault()).toBeUndefined();
  await first.close();
  await second.close();
  expect(existsSync(join(dir, 'cache.db'))).toBe(true);
});

test('a state without one of its tables is damaged, with the command that repairs it', async () => {
  const dir = await temporaryFolder();
  const said: string[] = [];
  const stores = new Stores({ state: dir, cache: undefined }, (text) => said.push(text));
  const state = await stores.state();
  state.exec('DROP TABLE guard_markers');
  expect(state.fault()).toBe('no table guard_markers');
  const thrown = await state.write(() => knownMarker(state, '/a')).catch((error) => error);
  expect(thrown instanceof DamagedDatabase).toBe(true);
  expect(thrown).toMatchObject({ code: 'config', advice: 'run "syncer doctor --fix"' });
  await stores.tryState('the marker is not kept', () => knownMarker(state, '/a'));
  const why = `the state of syncer is damaged: ${join(dir, 'state.db')}`;
  expect(said).toEqual([`the marker is not kept: ${why}; run "syncer doctor --fix"`]);
  await stores.close();
});

test('a state without one of the columns of a table is damaged, too', async () => {
  const dir = await temporaryFolder();
  const stores = new Stores({ state: dir, cache: undefined }, () => {});
  const state = await stores.state();
  state.exec('ALTER TABLE guard_markers DROP COLUMN value');
  expect(state.fault()).toBe('no column value in guard_markers');
  const thrown = await state.write(() => knownMarker(state, '/a')).catch((error) => error);
  expect(thrown).toBeInstanceOf(DamagedDatabase);
  await stores.close();
});

test('a cache without one of its tables is put aside with one notice, and made anew', async () => {
  const dir = await temporaryFolder();
  const folders = { state: undefined, cache: dir };
  const said: string[] = [];
  const first = new Stores(folders, (text) => said.push(text));
  (await first.cache())?.exec('DROP TABLE upkeep');
  const access = new CacheAccess(first, () => {});
  await access.open();
  expect(access.read((cache) => cache.get('SELECT * FROM upkeep'))).toBeUndefined();
  expect(
    await access.write((cache) => cache.run("INSERT INTO upkeep VALUES ('a', 1)")),
  ).toBeUndefined();
  await first.close();
  expect(said).toEqual([
    `the cache was damaged, and a new one is made; the old one is ${join(dir, 'cache.db.damaged')}`,
  ]);
  const second = new Stores(folders, () => {});
  const cache = await second.cache();
  expect(cache?.fault()).toBeUndefined();
  await second.close();
});

test('a cache that another program emptied while it is used is put aside, and the run has a new one', async () => {
  const dir = await temporaryFolder();
  const folders = { state: undefined, cache: dir };
  const first = new Stores(folders, () => {});
  const cache = await first.cache();
  cache?.run('INSERT INTO upkeep VALUES (?, ?)', 'a', 1);
  await truncate(join(dir, 'cache.db'));
  const said: string[] = [];
  const second = new Stores(folders, (text) => said.push(text));
  expect((await second.cache())?.fault()).toBeUndefined();
  expect(said).toEqual([
    `the cache was damaged, and a new one is made; the old one is ${join(dir, 'cache.db.damaged')}`,
  ]);
  await first.close();
  await second.close();
});

test.skipIf(process.getuid?.() === 0)('a directory that cannot be written', async () => {
  const dir = await temporaryFolder();
  await chmod(dir, 0o500);
  await expect(open(dir)).rejects.toMatchObject({ code: 'config' });
});

test('a user without a home has no state, and is told how to get one', async () => {
  const stores = new Stores({ state: undefined, cache: undefined }, () => {}, Date.now);
  await expect(stores.state()).rejects.toMatchObject({ advice: 'set HOME or XDG_STATE_HOME' });
  expect(await stores.cache()).toBeUndefined();
});
