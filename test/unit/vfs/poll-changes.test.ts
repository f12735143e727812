import { expect, onTestFinished, test } from 'vitest';
import type { Changes } from '../../../src/core/changes.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Entry, Remote } from '../../../src/core/remote.ts';
import { startTestGraph } from '../../servers/graph/start-graph.ts';
import { openDrive } from '../../support/open-drive.ts';
import { vfsWorld } from '../../support/vfs-world.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = { 'd/a': 'x', 'd/b': 'x', 'e/c': 'x', top: 'x' };

/** A remote whose entries have their paths as ids, and that tells what `next` gives. */
const telling =
  (next: (token: string | undefined) => Promise<Changes>) =>
  (remote: Remote): Remote => ({
    ...remote,
    can: { ...remote.can, changes: next },
    listPage: async (dir, cursor, op) => {
      const page = await remote.listPage(dir, cursor, op);
      return { ...page, entries: page.entries.map((each): Entry => ({ ...each, id: each.path })) };
    },
  });

async function known(changes: readonly (Changes | Error)[]) {
  const tokens: (string | undefined)[] = [];
  const left = [...changes];
  const w = await vfsWorld({
    files: FILES,
    network: true,
    wrap: telling(async (token) => {
      tokens.push(token);
      const next = left.shift() ?? { token: 'end', items: [] };
      if (next instanceof Error) throw next;
      return next;
    }),
  });
  for (const dir of ['', 'd', 'e']) await w.names(dir);
  w.calls.length = 0;
  return { w, tokens };
}

test('what changed is listed again, and nothing else', async () => {
  const items = [{ id: 'new', parentId: 'd' }];
  const { w } = await known([{ token: '1' }, { token: '2', items }]);
  await w.clock.advance(60_000);
  for (const dir of ['', 'd', 'e']) await w.names(dir);
  expect(w.calls).toEqual(['listPage d']);
});

test('of what is gone the place is known, and the kernel is told', async () => {
  const { w } = await known([
    { token: '1' },
    { token: '2', items: [{ id: 'e/c' }, { id: 'top', parentId: '' }] },
  ]);
  await w.inode('e/c');
  await w.clock.advance(60_000);
  expect(w.told).toEqual(['entry c']);
  for (const dir of ['', 'd', 'e']) await w.names(dir);
  expect(w.calls).toEqual(['listPage ', 'listPage e']);
});

test('where anything may have changed all is listed again', async () => {
  const { w } = await known([{ token: '1' }, { token: '2' }]);
  await w.clock.advance(60_000);
  for (const dir of ['', 'd', 'e']) await w.names(dir);
  expect(w.calls).toHaveLength(3);
});

test('a question that failed is asked again', async () => {
  const { w, tokens } = await known([
    { token: '1' },
    new SyncerError('network', 'cut'),
    { token: '2', items: [] },
  ]);
  await w.clock.advance(180_000);
  expect(tokens).toEqual([undefined, '1', '1', '2']);
});

test('a directory that was made here is listed again with any change, as its id is not known', async () => {
  const items = [{ id: 'unknown', parentId: 'unknown too' }];
  const { w } = await known([{ token: '1' }, { token: '2', items }]);
  await w.mkdir('made');
  expect(await w.names('made')).toEqual([]);
  expect(w.calls).toEqual([]);
  await w.clock.advance(60_000);
  await w.names('made');
  expect(w.calls).toEqual(['listPage made']);
});

test('what others change on a drive is seen within the interval, and costs one request without changes', async () => {
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  onTestFinished(() => graph.stop());
  graph.drive.put('top/dir/old', 'x', new Date(0));
  graph.drive.put('top/gone', 'x', new Date(0));
  const { remote } = await openDrive(graph, 'top');
  onTestFinished(() => remote.close());
  const w = await vfsWorld({ wrap: () => remote });
  const passes = async () => {
    await waitFor(() => graph.log.count('delta') > 0);
    graph.log.clear();
    await w.clock.advance(60_000);
    await waitFor(() => graph.log.of('delta').some(({ status }) => status !== undefined));
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  expect([await w.names(''), await w.names('dir')]).toEqual([['dir', 'gone'], ['old']]);
  await passes();
  expect(graph.log.requests).toHaveLength(1);
  graph.drive.put('top/dir/new', 'y', new Date(0));
  graph.drive.remove('top/gone');
  expect([await w.names(''), await w.names('dir')]).toEqual([['dir', 'gone'], ['old']]);
  await passes();
  expect([await w.names(''), await w.names('dir')]).toEqual([['dir'], ['new', 'old']]);
  expect(await w.read('dir/new')).toBe('y');
});
