import { expect } from 'vitest';
import { compareNames } from '../../src/core/name-order.ts';
import type { Entry, NameRange } from '../../src/core/remote.ts';
import { type ContractTest, promise, promiseWithout } from './contract-test.ts';
import { expectError, OP, SOME_TIME, type World } from './contract-world.ts';

/** Reads all pages by hand; asks each page twice where `twice` is set. */
async function pages(world: World, twice: boolean): Promise<Entry[]> {
  const all: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.remote.listPage(world.dir, cursor, OP);
    if (twice) {
      const again = await world.remote.listPage(world.dir, cursor, OP);
      expect(again.entries.map((entry) => entry.path)).toEqual(
        page.entries.map((entry) => entry.path),
      );
    }
    all.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}

async function putMany(world: World, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `file-${String(i).padStart(4, '0')}`);
  for (let i = 0; i < count; i += 50) {
    await Promise.all(names.slice(i, i + 50).map((name) => world.put(name, name)));
  }
  return names;
}

export const listingTests: readonly ContractTest[] = [
  promise('lists files and directories of one level only', [], async (world) => {
    await world.put('b/deep/deeper.txt', 'x');
    await world.put('a.txt', 'hello');
    expect((await world.names()).sort()).toEqual(['a.txt', 'b/']);
    expect(await world.names('b')).toEqual(['deep/']);
    expect(await world.names('b/deep')).toEqual(['deeper.txt']);
  }),

  promise('tells size and time of files', ['modTime'], async (world) => {
    await world.put('a.txt', 'hello');
    const [entry] = await world.entries();
    expect(entry).toMatchObject({ kind: 'file', path: world.at('a.txt'), size: 5 });
    const { traits } = world.remote;
    if (!traits.slowModTime) {
      const difference = (entry?.modTime ?? 0n) - SOME_TIME;
      expect(difference < 0n ? -difference : difference).toBeLessThan(
        traits.modTimePrecision ?? 0n,
      );
    }
  }),

  promise('gives every entry once over many pages', [], async (world) => {
    const names = await putMany(world, world.pageSize + 55);
    const listed = await pages(world, false);
    expect(listed.map((entry) => entry.path).sort()).toEqual(names.map((name) => world.at(name)));
  }),

  promise('can be asked for the same page again', [], async (world) => {
    await putMany(world, 60);
    await world.put('file-0030/below', 'x').catch(() => undefined);
    const listed = await pages(world, true);
    expect(listed.length).toBeGreaterThanOrEqual(60);
  }),

  promise(
    'comes in order, directories as if their name ended in a slash',
    ['sortedPages'],
    async (world) => {
      const files = ['a-b', 'a.txt', 'a0', 'B', 'b', 'é', 'ﬀ', '😀', 'z', '~', '!', 'aa'];
      for (const file of files) await world.put(file, file);
      await world.put('a/below', 'x');
      await world.put('é-dir/below', 'x');
      const names = await world.names();
      expect(names).toEqual([...names].sort(compareNames));
      expect(names).toEqual([
        ...['!', 'B', 'a-b', 'a.txt', 'a/', 'a0', 'aa', 'b', 'z', '~'],
        ...['é', 'é-dir/', 'ﬀ', '😀'],
      ]);
    },
  ),

  promise('rejects for a directory that does not exist', ['directories'], async (world) => {
    await expectError(
      world.remote.listPage(world.at('missing'), undefined, OP),
      'directory-not-found',
    );
  }),

  promiseWithout('directories', 'is empty for a prefix nothing has', async (world) => {
    expect(await world.entries('missing')).toEqual([]);
  }),

  promise('rejects for a path that is a file', ['directories'], async (world) => {
    await world.put('file', 'x');
    await expectError(
      world.remote.listPage(world.at('file'), undefined, OP),
      'not-a-directory',
      'directory-not-found',
    );
  }),

  promise('rejects with the reason when the signal is aborted', [], async (world) => {
    await world.put('a', 'x');
    const reason = new Error('stop');
    await expect(
      world.remote.listPage(world.dir, undefined, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  }),

  promise('lists a whole tree, files only, by whole path', ['listTreePage'], async (world) => {
    const files = ['a/b/c', 'a/b-c', 'a-b', 'a.txt', 'a/😀', 'a/ﬀ', 'z/y/x/w', 'b'];
    for (const file of files) await world.put(file, file);
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await world.remote.can.listTreePage?.(world.dir, cursor, OP);
      for (const entry of page?.entries ?? []) {
        expect(entry.kind).toBe('file');
        listed.push(entry.path.slice(world.dir.length + 1));
      }
      cursor = page?.cursor;
    } while (cursor !== undefined);
    expect(listed).toEqual([...files].sort(compareNames));
    const unordered = world.remote.can.listTreeUnordered?.(world.dir, 4, OP);
    if (unordered === undefined) return;
    const again: string[] = [];
    for await (const entries of unordered) {
      again.push(...entries.map(({ path }) => path.slice(world.dir.length + 1)));
    }
    expect(again.sort(compareNames)).toEqual(listed);
  }),

  promise('lists a range of a tree, whose end may come down', ['listTreePage'], async (world) => {
    const files = ['a', 'b/c', 'b/d', 'b-e', 'd', 'é', '😀', 'ﬀ'].sort(compareNames);
    for (const file of files) await world.put(file, file);
    const { listTreePage } = world.remote.can;
    const listed = async (range: NameRange) => {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listTreePage?.(world.dir, cursor, OP, range);
        names.push(...(page?.entries ?? []).map(({ path }) => path.slice(world.dir.length + 1)));
        cursor = page?.cursor;
      } while (cursor !== undefined);
      return names;
    };
    const inside = (after: string, last: string) =>
      files.filter((name) => compareNames(name, after) > 0 && compareNames(name, last) <= 0);
    for (const after of ['', 'a', 'b/', 'b/c', 'bb', 'é', '\u{ffff}']) {
      for (const last of ['a', 'b/c', 'c', 'd', 'z', '\u{1f600}', '\u{10ffff}']) {
        expect(await listed({ after, last })).toEqual(inside(after, last));
      }
    }
    expect(await listed({})).toEqual(files);
    expect(await listed({ last: 'b/c' })).toEqual(inside('', 'b/c'));
    expect((await listTreePage?.(world.dir, undefined, OP, { most: 1 }))?.entries).toHaveLength(1);
    let last: string | undefined;
    const live = {
      get last() {
        return last;
      },
      most: 2,
    };
    const first = await listTreePage?.(world.dir, undefined, OP, live);
    expect(first?.entries).toHaveLength(2);
    last = 'b/c';
    const second = await listTreePage?.(world.dir, first?.cursor, OP, live);
    expect(second?.entries.map(({ path }) => path)).toEqual([world.at('b/c')]);
    expect(second?.cursor).toBeUndefined();
  }),

  promise('finds a file, a directory, and tells a missing one as undefined', [], async (world) => {
    await world.put('dir/file.txt', 'hello');
    const { remote } = world;
    expect(await remote.stat(world.at('dir/file.txt'), OP)).toMatchObject({
      kind: 'file',
      path: world.at('dir/file.txt'),
      size: 5,
    });
    expect(await remote.stat(world.at('dir'), OP)).toMatchObject({
      kind: 'dir',
      path: world.at('dir'),
    });
    expect(await remote.stat(world.at('dir/missing'), OP)).toBeUndefined();
    expect(await remote.stat(world.at('dir/file'), OP)).toBeUndefined();
    expect(await remote.stat(world.at('no/such/dir'), OP)).toBeUndefined();
    expect(await remote.stat(world.at('dir/file.txt/below'), OP)).toBeUndefined();
  }),

  promise('tells the root as a directory', [], async (world) => {
    await world.put('x', 'x');
    expect(await world.remote.stat('', OP)).toMatchObject({ kind: 'dir', path: '' });
  }),
];
