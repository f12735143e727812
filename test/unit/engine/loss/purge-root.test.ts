import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { ALL, PRETEND } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { purgeRoot } from '../../../../src/engine/loss/purge-root.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { contentsOf, quietContext, remoteBut, remoteWith } from '../../../support/memory-world.ts';

const FILES = { a: '1', 'closed/b': '2', 'd/c': '3', 'z/e': '4' };
const RULES = { width: 2 };

/** A remote without a call that deletes everything, and one of whose directories cannot be listed. */
async function closedRemote(closed: string): Promise<{ remote: Remote; whole: Remote }> {
  const whole = await remoteWith(FILES, { without: ['purge'] });
  const remote = remoteBut(whole, {
    listPage: async (dir, cursor, op) => {
      if (dir === closed) throw new SyncerError('unreadable', 'permission denied');
      return whole.listPage(dir, cursor, op);
    },
  });
  return { remote, whole };
}

test('a directory that cannot be listed keeps no other file from being deleted', async () => {
  const { context, logLines } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL, budget: new Budget() });
  const { remote, whole } = await closedRemote('closed');
  await purgeRoot(run, remote, RULES);
  expect(Object.keys(await contentsOf(whole)).filter((path) => !path.endsWith('/'))).toEqual([
    'closed/b',
  ]);
  expect(run.tally.count).toBe(1);
  expect(logLines().join()).toContain('closed: error listing: permission denied');
});

test('a root that cannot be listed is the error of the purge', async () => {
  const { context } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL, budget: new Budget() });
  const { remote } = await closedRemote('');
  await expect(purgeRoot(run, remote, RULES)).rejects.toThrow('permission denied');
});

test.each([ALL, PRETEND])(
  'all buckets are not purged, nor shown as if they were',
  async (consent) => {
    const { context } = quietContext();
    const run = startRun({
      context,
      filter: passAllFilter,
      budget: new Budget(),
      consent,
    });
    const whole = await remoteWith(FILES);
    const remote = remoteBut(whole, { traits: { ...whole.traits, bucketBased: true } });
    await expect(purgeRoot(run, remote, RULES)).rejects.toThrow('purge would delete every bucket');
    expect(Object.keys(await contentsOf(whole))).toContain('a');
  },
);

test('a purge whose run has no budget, or whose files were not counted within one, deletes nothing', async () => {
  const { context } = quietContext();
  const whole = await remoteWith(FILES);
  for (const budget of [undefined, new Budget(9)]) {
    const run = startRun({ context, filter: passAllFilter, budget, consent: ALL });
    await expect(purgeRoot(run, whole, RULES)).rejects.toThrow('--max-delete threshold reached');
  }
  expect(Object.keys(await contentsOf(whole))).toHaveLength(4);
});
