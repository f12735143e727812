import { afterEach, beforeEach, expect, test } from 'vitest';
import { timeObserver } from '../../../../src/caches/times/mod-time-index.ts';
import { innermost } from '../../../../src/core/around.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { type IndexWorld, makeIndexWorld, OP, timesOf } from './index-world.ts';

let world: IndexWorld;
beforeEach(async () => {
  world = await makeIndexWorld({ pageSize: 1 });
});
afterEach(() => world.remove());

const FILE: FileEntry = { kind: 'file', path: 'd/a', size: 1 };

/** A remote like that of the store, but for these capabilities. */
function inner(can: Remote['can'] = {}): Remote {
  const remote = world.store.remote();
  return { ...remote, can: { ...remote.can, ...can } };
}

test('it looks like the remote it is around', async () => {
  const plain = inner({ publicLink: async () => 'link' });
  const run = await world.run({}, plain);
  const { remote } = run;
  expect(remote).not.toBe(plain);
  expect(remote.traits).toBe(plain.traits);
  expect(remote).toMatchObject({ name: 'timed', root: 'bucket', title: 'Timed store' });
  expect(Object.keys(remote.can).sort()).toEqual(Object.keys(plain.can).sort());
  expect(await remote.can.publicLink?.(FILE, undefined, OP)).toBe('link');
  await run.end();
});

test('remotes that are of no use with an index stay as they are', async () => {
  const { index, end } = await world.run();
  const remote = inner();
  const { storeId: _id, ...unknown } = remote;
  for (const plain of [
    remoteBut(unknown, {}),
    world.store.remote({ ...remote.traits, slowModTime: false }),
    world.store.remote({ ...remote.traits, sortedPages: false }),
  ]) {
    expect(timeObserver(plain, index)).toBe(undefined);
  }
  await end();
});

test('copies and moves within a store see remotes without their index', async () => {
  const seen: Remote[] = [];
  const note = async <T>(from: Remote, answer: T) => {
    seen.push(from);
    return answer;
  };
  const plain = inner({
    copyFrom: (from) => note(from, FILE),
    moveFrom: (from) => note(from, FILE),
    moveDirFrom: (from) => note(from, true),
  });
  const run = await world.run({}, plain);
  const { can } = run.remote;
  for (const from of [run.remote, plain]) {
    expect(await can.copyFrom?.(from, FILE, 'to', OP)).toBe(FILE);
    expect(await can.moveFrom?.(from, FILE, 'to', OP)).toBe(FILE);
    expect(await can.moveDirFrom?.(from, 'd', 'to', OP)).toBe(true);
  }
  expect(seen.map(innermost)).toEqual(Array(6).fill(plain));
  await run.end();
});

test('a page that failed can be asked for again', async () => {
  for (const name of ['a', 'b', 'c']) world.store.put(`d/${name}`, name, 1n);
  world.clock.monotonicMs += 60_000;
  const first = await world.run();
  await timesOf(first.remote);
  await first.end();

  const plain = inner();
  let calls = 0;
  const run = await world.run(
    {},
    {
      ...plain,
      async listPage(dir, cursor, op) {
        if (++calls % 2 === 0) throw new Error('broken');
        return plain.listPage(dir, cursor, op);
      },
    },
  );
  let cursor: string | undefined;
  const found = [];
  do {
    const page = await run.remote.listPage('d', cursor, OP).catch(() => undefined);
    if (page === undefined) continue;
    found.push(...page.entries.map(({ path, modTime }) => [path, modTime]));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(found).toEqual([
    ['d/a', 1n],
    ['d/b', 1n],
    ['d/c', 1n],
  ]);
  expect(calls).toBeGreaterThan(3);
  await run.end();
});

test('what is read and looked at is remembered, with an MD5 that listings do not tell', async () => {
  world.store.put('d/a', 'x', 5n);
  world.store.put('d/b', 'y', 6n);
  world.clock.monotonicMs += 60_000;
  const plain = inner();
  const details = async (file: FileEntry) => ({
    ...((await plain.can.details?.read(file, OP)) ?? file),
    hashes: { md5: '0123456789abcdef0123456789abcdef' },
  });
  const run = await world.run(
    {},
    {
      ...plain,
      stat: (path) => details({ ...FILE, path }),
      can: {
        ...plain.can,
        details: { read: details },
      },
    },
  );
  await run.remote.stat('d/b', OP);
  await run.remote.can.details?.read(FILE, OP);
  await run.end();
  const next = await world.run();
  const { listTreePage } = next.remote.can;
  const first = await listTreePage?.('', undefined, OP);
  const second = await listTreePage?.('', first?.cursor, OP);
  const hashes = { md5: '0123456789abcdef0123456789abcdef' };
  expect(first?.entries).toMatchObject([{ path: 'd/a', modTime: 5n, hashes }]);
  expect(second?.entries).toMatchObject([{ path: 'd/b', modTime: 6n, hashes }]);
  await next.end();
});
