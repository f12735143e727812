import { expect, test } from 'vitest';
import { touchFiles } from '../../../commands/touch/touch.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { ALL, PRETEND } from '../../../src/engine/consent.ts';
import { changeEachFile, setTierOfFiles } from '../../../src/engine/each-file.ts';
import { startRun } from '../../../src/engine/run.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { quietContext, remoteWith } from '../../support/memory-world.ts';

const file = (path: string): FileEntry => ({ kind: 'file', path, size: 3 });
const PAGES = [[file('a'), file('b')], [file('c')]];
const HOW = { width: 2, action: 'change', doing: 'touch' } as const;

test('a file that fails is counted and the others are changed', async () => {
  const { context, logLines } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const changed: string[] = [];
  const count = await changeEachFile(run, PAGES, HOW, async ({ path }) => {
    if (path === 'b') throw new SyncerError('access-denied', 'not yours');
    changed.push(path);
  });
  expect([count, changed, run.tally.count]).toEqual([3, ['a', 'c'], 1]);
  expect(run.tally.deciding?.code).toBe('access-denied');
  expect(logLines()).toContain('error: b: failed to touch: not yours');
});

test('what may not be changed is told and left', async () => {
  const { context, logLines } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: PRETEND });
  const count = await changeEachFile(run, PAGES, HOW, async () => {
    throw new Error('changed');
  });
  expect([count, run.tally.count]).toEqual([3, 0]);
  expect(logLines()).toContain('notice: c: Skipped change as --dry-run is set (size 3)');
});

test('an error that stops the run keeps later files from being changed', async () => {
  const { context } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const tried: string[] = [];
  await changeEachFile(run, PAGES, { ...HOW, width: 1 }, async ({ path }) => {
    tried.push(path);
    throw new SyncerError('quota-exceeded', 'full');
  });
  expect(tried).toEqual(['a']);
});

test('a store that cannot says so', async () => {
  const { context } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const remote = await remoteWith({ a: 'x' }, { without: ['setModTime', 'setTier'] });
  const touching = touchFiles(run, remote, PAGES, { modTime: 0n, width: 1 });
  await expect(touching).rejects.toMatchObject({ code: 'unsupported' });
  const pages = (async function* () {
    yield* PAGES;
  })();
  const setting = setTierOfFiles(run, remote, pages, { tier: 'cold', width: 1 });
  await expect(setting).rejects.toMatchObject({ code: 'unsupported' });
});
