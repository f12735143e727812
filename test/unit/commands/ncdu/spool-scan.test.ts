import { expect, test } from 'vitest';
import { spoolScan } from '../../../../commands/ncdu/export-scan.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Page, Remote } from '../../../../src/core/remote.ts';
import { buildFilter } from '../../../../src/filter/build-filter.ts';
import { type Filter, passAllFilter } from '../../../../src/filter/filter.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { type Files, remoteBut, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const BUCKET = { emptyDirs: false, pageSize: 2 };
const FILES = { 'a/b/y': 'yyy', 'a/x': 'xx', 'c/z.log': 'zzzz', top: '1' };
const HEADER = { version: '1', timeMs: 0, title: 't' };

const bucket = (files: Files = FILES) => remoteWith(files, BUCKET);

function scan(remote: Remote, filter: Filter = passAllFilter, isAll = false) {
  return spoolScan({ remote, filter, atOnce: 4, tree: new SizeTree(), isAll }, op);
}

/** The names of a scan. */
async function namesOf(spool: Awaited<ReturnType<typeof scan>>): Promise<readonly string[]> {
  const text = [...(spool?.export(HEADER) ?? [])].join('');
  spool?.close();
  return [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name);
}

/** A remote whose flat listing gives a page, or fails, at its nth call. */
function listing(remote: Remote, give: (call: number, page: Page) => Page): Remote {
  const { listTreePage, listTreeUnordered: _, ...can } = remote.can;
  let calls = 0;
  const changed: typeof listTreePage = async (...args) =>
    give(++calls, (await listTreePage?.(...args)) as Page);
  return remoteBut(remote, { can: { ...can, listTreePage: changed } });
}

test('a flat listing in order needs no tree', async () => {
  const names = await namesOf(await scan(await bucket()));
  expect(names).toEqual(['t', 'a', 'b', 'y', 'x', 'c', 'z.log', 'top']);
});

test('filters leave out files, and directories with nothing else', async () => {
  const filter = await buildFilter({ exclude: ['*.log', 'y'] }, async () => '', 0);
  expect(await namesOf(await scan(await bucket(), filter))).toEqual(['t', 'a', 'x', 'top']);
});

test('other listings, and those out of order, need one', async () => {
  expect(await scan(await remoteWith(FILES))).toBeUndefined();
  expect(await scan(await bucket(), passAllFilter, true)).toBeUndefined();
  const twisted = listing(await bucket(), (_, page) => ({
    ...page,
    entries: page.entries.toReversed(),
  }));
  expect(await scan(twisted)).toBeUndefined();
});

test('a listing that fails later is a failure of the scan, and one that fails at once of the command', async () => {
  const failing = (at: number) => async () =>
    listing(await bucket(), (call, page) => {
      if (call === at) throw new SyncerError('access-denied', 'no access');
      return page;
    });
  const spool = await scan(await failing(2)());
  expect(spool?.failure).toBe('no access');
  expect(await namesOf(spool)).toEqual(['t', 'a', 'b', 'y', 'x']);
  await expect(scan(await failing(1)())).rejects.toThrow('no access');
});
