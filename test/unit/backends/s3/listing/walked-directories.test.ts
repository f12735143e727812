import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeyPage, ListQuery } from '../../../../../src/backends/s3/listing/lister.ts';
import {
  directoriesOf,
  walkedDirectory,
} from '../../../../../src/backends/s3/listing/walked-directories.ts';
import { compareNames } from '../../../../../src/core/name-order.ts';
import type { Remote } from '../../../../../src/core/remote.ts';
import { parentPath } from '../../../../../src/core/remote-path.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../../../support/memory-world.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';
import { randomFrom } from '../../../../support/random-from.ts';

const listed = (key: string) => ({
  key,
  size: key.length,
  etag: '',
  modifiedMs: undefined,
  storageClass: '',
});

/** A page as S3 documents it for ListObjectsV2, of at most `limit` keys and prefixes. */
function pageOf(names: readonly string[], query: ListQuery, limit: number): KeyPage {
  const { prefix, byDirectory, position } = query;
  const after = position !== undefined && 'after' in position ? position.after : '';
  const marker = position !== undefined && 'marker' in position ? position.marker : '';
  const found = new Set<string>();
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const slash = byDirectory ? name.indexOf('/', prefix.length) : -1;
    const item = slash < 0 ? name : name.slice(0, slash + 1);
    if (compareNames(item, after) > 0 && compareNames(item, marker) > 0) found.add(item);
  }
  const items = [...found].sort(compareNames);
  const isPrefix = (item: string) => byDirectory && item.indexOf('/', prefix.length) >= 0;
  const shown = items.slice(0, limit);
  const page = {
    keys: shown.filter((item) => !isPrefix(item)).map(listed),
    prefixes: shown.filter(isPrefix),
  };
  return items.length > limit ? { ...page, next: { marker: shown.at(-1) ?? '' } } : page;
}

/** Walks everything below `prefix`, `width` directories at a time, and returns each with its first page. */
async function walk(
  page: (query: ListQuery) => Promise<KeyPage>,
  prefix: string,
  width: number,
): Promise<Map<string, KeyPage>> {
  const found = new Map<string, KeyPage>();
  const stack = [prefix];
  let active = 0;
  const worker = async (): Promise<void> => {
    while (stack.length > 0 || active > 0) {
      const dir = stack.pop();
      if (dir === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      active++;
      if (found.has(dir)) throw new Error(`${dir} is listed twice`);
      let position: ListQuery['position'];
      const below: string[] = [];
      do {
        const query = { bucket: 'b', prefix: dir, byDirectory: true, position };
        const answer = await page(query);
        if (position === undefined) found.set(dir, answer);
        below.push(...answer.prefixes);
        position = answer.next;
      } while (position !== undefined);
      stack.push(...below.reverse());
      active--;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return found;
}

/** Random names in random directories; some are markers of directories, or have empty segments. */
function randomNames(random: (below: number) => number): string[] {
  const parts = ['a', 'b', 'a.', 'a-', 'b0', 'c', 'é', '\u{1f600}', '\uff21', ' ', '.', ''];
  const names = new Set<string>();
  const count = 1 + random(120);
  for (let i = 0; i < count; i++) {
    const depth = random(5);
    const dirs = Array.from({ length: depth }, () => parts[random(parts.length)] ?? '');
    const end = random(9) === 0 ? '' : `f${random(40)}`;
    const name = [...dirs, end].join('/');
    if (name !== '') names.add(name);
  }
  return [...names].sort(compareNames);
}

describe('directories of a walk', () => {
  test('are what each is alone, whatever the names, pages, and walkers', async () => {
    for (let seed = 1; seed <= 600; seed++) {
      const random = randomFrom(seed);
      const names = randomNames(random);
      const limit = 1 + random(40);
      const top = ['', 'a/', 'b/'][random(3)] ?? '';
      const width = 1 + random(6);
      const lister = {
        async page(query: ListQuery) {
          if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve));
          return pageOf(names, query, limit);
        },
      };
      const alone = await walk(async (query) => pageOf(names, query, limit), top, 1);
      const id = {};
      const first = (query: ListQuery) => walkedDirectory(lister, id, query, OP);
      const together = await walk(
        (query) => (query.position === undefined ? first(query) : lister.page(query)),
        top,
        width,
      );
      expect([...together.keys()].sort(), `seed ${seed}`).toEqual([...alone.keys()].sort());
      for (const [dir, page] of alone) {
        expect(together.get(dir), `seed ${seed}: ${dir}`).toEqual(page);
      }
    }
  });

  test('of a few files each take one request for a thousand keys', async () => {
    const names = Array.from(
      { length: 4000 },
      (_, i) => `d${String((i / 2) | 0).padStart(4)}/f${i}`,
    );
    const { requests, walked } = await counted(names.sort(compareNames));
    expect(walked).toBe(2001);
    expect(requests).toBeLessThan(12);
  });

  test('of many files each are listed by themselves', async () => {
    const names = Array.from({ length: 6000 }, (_, i) => `d${i % 60}/f${String(i).padStart(5)}`);
    const { requests, walked } = await counted(names.sort(compareNames));
    expect(requests).toBe(walked);
  });

  test('are listed by themselves again where others lie between them', async () => {
    // Of two thousand directories with a hundred files each, only every twentieth is walked.
    const names = Array.from({ length: 2000 }, (_, i) => `d${String(i).padStart(4)}`).flatMap(
      (dir) => Array.from({ length: 20 }, (_unused, i) => `${dir}/f${i}`),
    );
    let together = 0;
    const page = async (query: ListQuery) => {
      if (!query.byDirectory) together++;
      return pageOf(names.sort(compareNames), query, 1000);
    };
    const id = {};
    const query = { bucket: 'b', prefix: '', byDirectory: true, position: undefined };
    await walkedDirectory({ page }, id, query, OP);
    for (let i = 0; i < 2000; i += 40) {
      const prefix = `d${String(i).padStart(4)}/`;
      const found = await walkedDirectory({ page }, id, { ...query, prefix }, OP);
      expect(found.keys).toHaveLength(20);
    }
    expect(together).toBeLessThan(4);
  });

  test.each([
    ['refuses', async () => Promise.reject(new Error('AccessDenied'))],
    ['begins elsewhere', async () => ({ keys: [listed('a/f')], prefixes: [] })],
    ['has no order', async () => ({ keys: [listed('e0005/f'), listed('d0005/f')], prefixes: [] })],
  ])('are listed by themselves for good where a server %s', async (_what, answer) => {
    const names = Array.from({ length: 200 }, (_, i) => `d${String(i).padStart(4, '0')}/f`);
    let together = 0;
    const page = async (query: ListQuery) => {
      if (query.byDirectory) return pageOf(names, query, 1000);
      together++;
      return answer();
    };
    const id = {};
    const walked = await walk((query) => walkedDirectory({ page }, id, query, OP), '', 3);
    expect(walked.size).toBe(201);
    expect([...walked.values()].filter(({ keys }) => keys.length === 1)).toHaveLength(200);
    expect(together).toBe(1);
  });

  test('are listed by themselves where a server lists the oldest first, wherever it should begin', async () => {
    const names = Array.from({ length: 1500 }, (_, i) => `b${String(i).padStart(4, '0')}/img`);
    const newer = ['a0/f', 'a1/f', 'a2/f', 'a3/f', 'a4/f', 'b0010/edited'];
    const byAge = [...names, ...newer];
    const all = byAge.toSorted(compareNames);
    const page = async (query: ListQuery) =>
      query.byDirectory
        ? pageOf(all, query, 2000)
        : { keys: byAge.slice(0, 1000).map(listed), prefixes: [], next: { token: 't' } };
    const id = {};
    const walked = await walk((query) => walkedDirectory({ page }, id, query, OP), '', 1);
    expect(walked.get('b0010/')?.keys).toHaveLength(2);
  });

  test('that a page has only in part are left out', () => {
    const keys = ['a/b/1', 'a/b/2', 'a/c/1'].map(listed);
    const next = { token: 't' };
    const whole = directoriesOf({ keys, next }, '', 'a.');
    expect([...(whole ?? [])].map(([prefix]) => prefix)).toEqual(['a/b/']);
    // It began in the middle of `a/`.
    expect([...(directoriesOf({ keys }, '', 'a/b.') ?? [])].map(([prefix]) => prefix)).toEqual([
      'a/b/',
      'a/c/',
    ]);
    expect([...(directoriesOf({ keys }, 'a/', 'a/b.') ?? [])].map(([prefix]) => prefix)).toEqual([
      'a/b/',
      'a/c/',
    ]);
  });
});

/** How many requests a walk of all directories takes, and how many those are. */
async function counted(names: readonly string[]): Promise<{ requests: number; walked: number }> {
  let requests = 0;
  const page = async (query: ListQuery) => {
    requests++;
    return pageOf(names, query, 1000);
  };
  const id = {};
  const { size } = await walk((query) => walkedDirectory({ page }, id, query, OP), '', 4);
  return { requests, walked: size };
}

describe('runs with many small directories', () => {
  let s3: TestS3;
  beforeEach(async () => {
    s3 = await startTestS3();
  });
  afterEach(() => s3.stop());

  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => [`a${i % 4}/b${i}/f`, `content ${i}`] as const),
  );

  async function filled(): Promise<{ source: Remote; remote: Remote }> {
    const { remote } = await openS3(s3, 'bucket');
    await remote.makeDir('', OP);
    const source = await remoteWith(files);
    expect((await runOnce('sync', source, remote)).error).toBeUndefined();
    return { source, remote };
  }

  test('send a few requests, and do the same', async () => {
    const { source, remote } = await filled();
    const extra = { 'a1/b1/extra': 'x', 'a2/gone/f': 'x', 'a3/b3/f': 'other' };
    expect((await runOnce('copy', await remoteWith(extra), remote)).error).toBeUndefined();
    const before = s3.log.count('ListObjectsV2');
    expect((await runOnce('sync', source, remote, { checkers: 1 })).error).toBeUndefined();
    expect(s3.log.count('ListObjectsV2') - before).toBeLessThan(20);
    const copy = await remoteWith({});
    expect((await runOnce('copy', remote, copy)).error).toBeUndefined();
    const contents = Object.values(await contentsOf(copy)).sort();
    expect(contents).toEqual(Object.values(await contentsOf(source)).sort());
    await remote.close();
  });

  test('delete nothing that another writer adds to both sides during the run', async () => {
    const { source, remote } = await filled();
    const listed = new Set<string>();
    let added = '';
    const dest = remoteBut(source, {
      async listPage(dir, cursor, op) {
        listed.add(dir);
        if (listed.size === 40) {
          const later = Object.keys(files).map(parentPath);
          added = `${later.findLast((each) => !listed.has(each))}/new`;
          await remote.write(sourceOf(added, 'new'), op);
          await source.write(sourceOf(added, 'new'), op);
        }
        return source.listPage(dir, cursor, op);
      },
    });
    expect((await runOnce('sync', remote, dest, { checkers: 1 })).error).toBeUndefined();
    expect(await contentsOf(source)).toHaveProperty([added]);
    await remote.close();
  });

  test('use what a server knows, although it refuses listings of several directories', async () => {
    const { source, remote } = await filled();
    const ways = new Set<string>();
    s3.setFaults(({ operation, query }) => {
      if (operation !== 'ListObjectsV2' && operation !== 'ListObjects') return undefined;
      ways.add(`${query.get('list-type')} ${query.get('encoding-type')}`);
      return query.has('delimiter') ? undefined : { status: 501, code: 'NotImplemented' };
    });
    expect((await runOnce('copy', source, remote)).error).toBeUndefined();
    expect([...ways]).toEqual(['2 url']);
    await remote.close();
  });
});
