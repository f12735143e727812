import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import {
  type IndexWorld,
  listAll,
  makeIndexWorld,
  OP,
  type TestRun,
  timesOf,
  write,
} from './index-world.ts';

let world: IndexWorld;
beforeEach(async () => {
  world = await makeIndexWorld();
});
afterEach(() => world.remove());

const PATHS = ['a', 'b/c', 'b/d/e', 'b-c', 'b.txt', 'b/z', 'z/1', 'z/2', 'z/3', 'z/4', 'ü/ý'];

/** Objects that were written long ago, each with a time of its own. */
function fill(paths: readonly string[] = PATHS): Record<string, bigint> {
  const times = Object.fromEntries(paths.map((path, i) => [path, BigInt(i) * 1_000_000_007n]));
  for (const path of paths) world.store.put(path, `content of ${path}`, times[path] ?? 0n);
  world.clock.monotonicMs += 60_000;
  return times;
}

/** One run that lists everything, and how many requests for details it made. */
async function listingRun(how: 'tree' | 'dirs' = 'dirs', options = {}) {
  const run = await world.run(options);
  const before = world.store.details;
  const times = await timesOf(run.remote, how);
  await run.end();
  return { times, requests: world.store.details - before };
}

describe.each(['dirs', 'tree'] as const)('listings of %s', (how) => {
  test('what was asked for in one run is known in the next', async () => {
    const times = fill();
    expect(await listingRun(how)).toEqual({ times, requests: PATHS.length });
    expect(await listingRun(how)).toEqual({ times, requests: 0 });
    expect(await listingRun(how === 'dirs' ? 'tree' : 'dirs')).toEqual({ times, requests: 0 });
  });

  test('what changed is asked for again, and nothing else', async () => {
    const times = fill();
    await listingRun(how);
    world.store.put('b/c', 'content of b/c', 77n);
    world.store.put('new', 'x', 78n);
    world.store.versions.delete('z/2');
    world.clock.monotonicMs += 10_000;
    const { 'z/2': _gone, ...others } = times;
    const changed = { ...others, 'b/c': 77n, new: 78n };
    expect(await listingRun(how)).toEqual({ times: changed, requests: 2 });
    expect(await listingRun(how)).toEqual({ times: changed, requests: 0 });
  });

  test('a listing that goes on in another remote, or from a page before, is completed too', async () => {
    fill();
    await listingRun(how);
    const pageOf = ({ remote }: TestRun, cursor: string | undefined) =>
      how === 'dirs' ? remote.listPage('z', cursor, OP) : remote.can.listTreePage?.('', cursor, OP);
    const [first, second] = [await world.run(), await world.run()];
    const cursor = (await pageOf(first, undefined))?.cursor;
    expect(cursor).toBeDefined();
    for (const run of [second, second, first, first]) {
      const entries = (await pageOf(run, cursor))?.entries ?? [];
      expect(entries.length).toBeGreaterThan(0);
      for (const entry of entries) expect(entry.modTime).toBeDefined();
    }
    await first.end();
    await second.end();
    expect((await listingRun(how)).requests).toBe(0);
  });
});

test('an upload is known when two seconds have passed before the run ended', async () => {
  const run = await world.run();
  await write(run.remote, 'early', 'x', 1n);
  world.clock.monotonicMs += 3000;
  await write(run.remote, 'late', 'x', 2n);
  world.clock.monotonicMs += 500;
  await run.end();
  world.clock.monotonicMs += 60_000;
  expect(await listingRun()).toEqual({ times: { early: 1n, late: 2n }, requests: 1 });
  expect((await listingRun()).requests).toBe(0);
});

test('a time that was set is known, and the one before it never told', async () => {
  fill(['a']);
  await listingRun();
  const run = await world.run();
  const [file] = await listAll(run.remote);
  if (file !== undefined) await run.remote.can.setModTime?.(file, 99n, OP);
  world.clock.monotonicMs += 5000;
  await run.end();
  expect(await listingRun()).toEqual({ times: { a: 99n }, requests: 0 });
  world.store.undo('a');
  expect((await listingRun()).times).toEqual({ a: 0n });
});

test('an object that changed less than two seconds before it was asked for is asked for again', async () => {
  world.store.put('a', 'same', 1n);
  world.clock.monotonicMs += 100;
  expect(await listingRun()).toEqual({ times: { a: 1n }, requests: 1 });
  world.store.put('a', 'same', 2n);
  world.clock.monotonicMs += 1500;
  expect(await listingRun()).toEqual({ times: { a: 2n }, requests: 1 });
  world.clock.monotonicMs += 5000;
  expect(await listingRun()).toEqual({ times: { a: 2n }, requests: 1 });
  expect(await listingRun()).toEqual({ times: { a: 2n }, requests: 0 });
});

test('nothing is trusted without ETags', async () => {
  await world.remove();
  world = await makeIndexWorld({ withoutEtags: true });
  const times = fill();
  expect(await listingRun()).toEqual({ times, requests: PATHS.length });
  expect(await listingRun()).toEqual({ times, requests: PATHS.length });
});

test('several processes add to what is known', async () => {
  const times = fill();
  const [one, other] = [await world.run(), await world.run()];
  for (const [i, file] of (await listAll(one.remote)).entries()) {
    await (i % 2 === 0 ? one : other).remote.can.details?.read(file, OP);
  }
  await Promise.all([one.end(), other.end()]);
  expect(await listingRun()).toEqual({ times, requests: 0 });
});

test('two processes that contradict each other are both not believed', async () => {
  const [one, other] = [await world.run(), await world.run()];
  await write(one.remote, 'a', 'same', 1n);
  await write(other.remote, 'a', 'same', 2n);
  world.clock.monotonicMs += 10_000;
  await one.end();
  await other.end();
  expect(await world.pages()).toEqual([]);
  expect(await listingRun()).toEqual({ times: { a: 2n }, requests: 1 });
  expect(await listingRun()).toEqual({ times: { a: 2n }, requests: 0 });
});

test('much is written in between, and a directory ends up in one page', async () => {
  const times = fill();
  expect((await listingRun('dirs', { mostUnwritten: 2 })).requests).toBe(PATHS.length);
  expect(await listingRun('dirs', { mostUnwritten: 2 })).toEqual({ times, requests: 0 });
  expect(await listingRun()).toEqual({ times, requests: 0 });
  const directories = new Set(PATHS.map((path) => dirname(path)));
  expect(await world.pages()).toHaveLength(directories.size);
});

test('records of what is gone are dropped when they are many', async () => {
  const paths = Array.from({ length: 300 }, (_, i) => `f${String(i).padStart(3, '0')}`);
  fill(paths);
  await listingRun();
  const sizeNow = async () => (await world.pages())[0]?.bytes ?? 0;
  const before = await sizeNow();
  for (const path of paths.slice(50)) world.store.versions.delete(path);
  await listingRun();
  expect(await world.pages()).toHaveLength(1);
  expect(await sizeNow()).toBeLessThan(before / 4);
});

describe('the folder', () => {
  test('is for its owner only, and does not tell what it is about', async () => {
    fill(['secret-directory/secret-file']);
    await listingRun();
    expect((await stat(world.folder)).mode & 0o777).toBe(0o700);
    const path = join(world.folder, 'cache.db');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'latin1')).not.toMatch(/secret-directory|timed/);
  });

  test('is bounded: what was not used for longest goes', async () => {
    fill(['a/1', 'b/1', 'c/1']);
    await listingRun();
    await world.change((database) => {
      const rows = database.all('SELECT id FROM time_directories ORDER BY id');
      for (const [day, { id = null }] of rows.entries())
        database.run('UPDATE time_directories SET used_day = ? WHERE id = ?', day - 9, id);
    });
    const directories = async () => (await world.pages()).map(({ directory }) => directory);
    const [oldest, ...others] = await directories();
    const bytes = 128 + ((await world.pages())[0]?.bytes ?? 0);
    const learn = async (path: string) => {
      world.store.put(path, 'x', 1n);
      world.clock.monotonicMs += 60_000;
      const { remote, end } = await world.run({ maxBytes: 4 * bytes });
      const { entries } = await remote.listPage(dirname(path), undefined, OP);
      for (const file of entries as FileEntry[]) await remote.can.details?.read(file, OP);
      await end();
    };
    await learn('d/1');
    expect(await directories()).toHaveLength(4);
    await learn('d/2');
    const left = await directories();
    expect(left).toHaveLength(3);
    expect(left).not.toContain(oldest);
    expect(left).toEqual(expect.arrayContaining(others.slice(1)));
  });

  test('that cannot be used only means no index, told once', async () => {
    const times = fill();
    await writeFile(world.folder, 'a file');
    const run = await world.run();
    expect(await timesOf(run.remote)).toEqual(times);
    await run.end();
    expect(run.troubles).toHaveLength(1);
  });
});
