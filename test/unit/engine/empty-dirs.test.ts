import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { startRun } from '../../../src/engine/run.ts';
import { deleteEmptyDirs } from '../../../src/engine/tree-dirs.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { quietContext } from '../../support/memory-world.ts';

const DIRS = ['', 'a', 'a/b', 'a/b/c', 'a/d', 'e', 'e/f', 'g-h', 'g-h/i', 'full', 'full/j'];

/** A remote that deletes directories slowly, and what it has seen. */
function slowRemote() {
  const left = new Set(DIRS);
  let running = 0;
  let most = 0;
  const order: string[] = [];
  const remote = {
    title: 'root',
    async deleteDir(dir: string) {
      most = Math.max(most, ++running);
      for (let i = 0; i < 3; i++) await turn();
      running--;
      const isParent = [...left].some(
        (path) => path !== dir && (dir === '' || path.startsWith(`${dir}/`)),
      );
      if (isParent || dir === 'full') throw new SyncerError('not-empty', 'directory not empty');
      left.delete(dir);
      order.push(dir);
    },
  } as unknown as Remote;
  return { remote, left, order, most: () => most };
}

test.each([
  [1, 1],
  [3, 3],
  [16, 5],
])('directories of one depth go %d at a time, after those below them', async (width, most) => {
  const { context } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const slow = slowRemote();
  await deleteEmptyDirs(run, slow.remote, DIRS, { width });
  expect([...slow.left]).toEqual(['', 'full']);
  expect(slow.most()).toBe(most);
  expect(run.tally.count).toBe(0);
});

test('one that is not empty can be an error', async () => {
  const { context, logLines } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const { remote } = slowRemote();
  await deleteEmptyDirs(run, remote, DIRS, { width: 2, mustBeEmpty: true });
  expect(run.tally.count).toBe(2);
  expect(logLines().filter((line) => line.startsWith('error'))).toEqual([
    "error: full: Couldn't remove directory: directory not empty",
    "error: root: Couldn't remove directory: directory not empty",
  ]);
});

test('none is deleted after the run was stopped', async () => {
  const { context } = quietContext();
  const controller = new AbortController();
  const run = startRun({
    context: { ...context, signal: controller.signal },
    filter: passAllFilter,
    consent: ALL,
  });
  const { remote, order } = slowRemote();
  const deleting = deleteEmptyDirs(run, remote, DIRS, { width: 1 });
  await turn();
  controller.abort();
  await deleting;
  expect(order).toEqual(['a/b/c']);
});
