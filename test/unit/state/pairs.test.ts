import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/state/database.ts';
import { type AgreedPage, type PairOwner, pairRows } from '../../../src/state/pairs.ts';
import { STATE } from '../../../src/state/schemas.ts';

const { signal } = new AbortController();
const HERE = { machine: 'm', boot: 'b', seenMs: 1 };
const END = { roots: ['a', 'b'], endedMs: 5, deleted: '[["f",{"size":1}]]' } as const;

async function database(): Promise<Database> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-test-pairs-'));
  const database = await Database.open(dir, STATE, () => {});
  onTestFinished(async () => {
    database.close();
    await rm(dir, { recursive: true });
  });
  return database;
}

async function taken(
  database: Database,
  places = '["a","b"]',
  mark = 'one',
): Promise<ReturnType<typeof pairRows>> {
  const rows = pairRows(database, places, mark);
  expect(await rows.take(HERE, () => true, signal)).toBeUndefined();
  return rows;
}

const page = (dir: string, first = '', text = `${dir}/${first}`): AgreedPage => {
  return { dir, first, files: 1, hasOtherNames: first !== '', bytes: Buffer.from(text) };
};
/** In no order. */
const PAGES = [
  page('d', 'é'),
  page('no \udcff UTF-8'),
  page('no \udcff UTF-8', '\udcfe'),
  page(''),
  page('d'),
  ...Array.from({ length: 200 }, (_, n) => page(`d/${n}`)),
];
const byKey = (pages: readonly AgreedPage[]) =>
  new Map(pages.map(({ bytes, ...rest }) => [JSON.stringify(rest), Buffer.from(bytes).toString()]));

test('the end of a run and its pages are read as they were written', async () => {
  const base = await database();
  const rows = await taken(base);
  expect(await rows.end()).toBeUndefined();
  await rows.replace(END, [], PAGES);
  const other = await taken(base, '["c","d"]');
  await other.replace({ ...END, deleted: undefined }, undefined, [page('of another pair')]);
  await rows.release();
  const next = await taken(base, '["a","b"]', 'two');
  expect(await next.end()).toEqual(END);
  const pages = await next.pages();
  expect(pages).toHaveLength(PAGES.length);
  expect(byKey(pages)).toEqual(byKey(PAGES));
  expect((await other.end())?.deleted).toBeUndefined();
});

test('pages are replaced one by one, or all of them', async () => {
  const rows = await taken(await database());
  await rows.replace(END, undefined, PAGES);
  await rows.replace({ ...END, endedMs: 6 }, PAGES.slice(0, 2), [page('e'), page('d', 'é', 'new')]);
  const expected = [...PAGES.slice(2), page('e'), page('d', 'é', 'new')];
  expect(byKey(await rows.pages())).toEqual(byKey(expected));
  await rows.replace(END, undefined, [page('d')]);
  expect(byKey(await rows.pages())).toEqual(byKey([page('d')]));
});

test('a pair has one owner, who is asked for by its mark', async () => {
  const base = await database();
  await taken(base);
  const asked: PairOwner[] = [];
  const isFree = (owner: PairOwner) => {
    asked.push(owner);
    return false;
  };
  const second = pairRows(base, '["a","b"]', 'two');
  expect(await second.take(HERE, isFree, signal)).toEqual({ ...HERE, mark: 'one' });
  expect(asked).toEqual([{ ...HERE, mark: 'one' }]);
  expect(await pairRows(base, '["c","d"]', 'two').take(HERE, isFree, signal)).toBeUndefined();
});

test('a run whose pair another one has taken changes nothing, and releases nothing', async () => {
  const base = await database();
  const first = await taken(base);
  await first.replace(END, undefined, [page('d')]);
  const second = await taken(base, '["a","b"]', 'two');
  expect(await first.replace(END, undefined, [])).toBe(false);
  await first.see(9);
  await first.release();
  expect(byKey(await second.pages())).toEqual(byKey([page('d')]));
  expect(base.get('SELECT owner, seen_ms FROM pairs')).toEqual({ owner: 'two', seen_ms: 1 });
});

test('a pair of which no run has ended is forgotten', async () => {
  const base = await database();
  await (await taken(base)).release();
  expect(base.all('SELECT * FROM pairs')).toEqual([]);
});

test('what fails on the way leaves all as it was', async () => {
  const rows = await taken(await database());
  await rows.replace(END, undefined, PAGES);
  const bad = { ...page('e'), files: Number.NaN };
  const attempt = rows.replace({ ...END, endedMs: 9 }, undefined, [page('f'), bad]);
  await expect(attempt).rejects.toThrow();
  expect(await rows.end()).toEqual(END);
  expect(byKey(await rows.pages())).toEqual(byKey(PAGES));
});

test('a page that is not as it was written is an error that names the way out', async () => {
  const base = await database();
  const rows = await taken(base);
  await rows.replace(END, undefined, PAGES);
  base.run('UPDATE agreed SET page = ? WHERE dir = ?', Buffer.from('x'), Buffer.from('d/7'));
  await expect(rows.pages()).rejects.toMatchObject({
    code: 'config',
    message: `what both sides had in "d/7" after the last run is damaged: ${base.path}`,
    advice: 'run bisync with --resync',
  });
});
