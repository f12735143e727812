import { expect, test } from 'vitest';
import { MemoryTree } from '../../../src/backends/memory/memory-tree.ts';
import { ALL as ALL_CHANGES, PRETEND } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  type Files,
  optionsOf,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';

const source = () =>
  remoteWith({ 'A.txt': '1', 'Ch.txt': 'changed', 'Dir/F.txt': '22', 'Dir/Sub/x': '3', Ö: 'ö' });
const OLD: Files = { 'a.txt': '1', 'ch.txt': 'old', 'dir/f.txt': '22', 'dir/sub/x': '3', ö: 'ö' };
const NEW = { 'A.txt': '1@1000', 'Ch.txt': 'changed@1000', 'Dir/F.txt': '22@1000' };
const ALL = { ...NEW, 'Dir/Sub/x': '3@1000', Ö: 'ö@1000' };
const fixCase = true;

const folding = (files: Files, options = {}) =>
  remoteWith(files, { caseInsensitive: true, tree: new MemoryTree(true), ...options });

test.each([
  ['sync', {}],
  ['copy', {}],
  ['move', {}],
  ['sync', { deletes: 'before' }],
  ['sync', { deletes: 'during' }],
  ['sync', { fastList: true }],
  ['sync', { ignoreExisting: true, ignoreCaseSync: true }],
] as const)(
  '%s renames files and directories of a store without regard to case: %o',
  async (verb, how) => {
    const dest = await folding({ ...OLD, 'dir/extra': 'e' });
    const { error, log, transferred } = await runOnce(verb, await source(), dest, {
      fixCase,
      ...how,
    });
    expect(error).toBeUndefined();
    const changed = 'ignoreExisting' in how ? { 'Ch.txt': 'old@1000' } : {};
    const extra = verb === 'sync' ? {} : { 'Dir/extra': 'e@1000' };
    expect(await contentsOf(dest)).toEqual({ ...ALL, ...changed, ...extra });
    expect(transferred).toBe('ignoreExisting' in how ? 0 : 1);
    expect(log).toContain('info: a.txt: Fixed case by renaming to: A.txt');
    expect(log).toContain('info: dir: Fixed case by renaming to: Dir');
    expect(log).toContain('info: Dir/sub: Fixed case by renaming to: Dir/Sub');
  },
);

test('--ignore-case-sync on a store of keys moves the files of a directory', async () => {
  const store = await remoteWith(OLD, { emptyDirs: false });
  const { moveDirFrom: _, ...can } = store.can;
  const dest = remoteBut(store, { can });
  const how = { fixCase, ignoreCaseSync: true };
  const { error, transferred } = await runOnce('sync', await source(), dest, how);
  expect([error, transferred]).toEqual([undefined, 1]);
  expect(await contentsOf(dest)).toMatchObject(ALL);
  expect(await contentsOf(dest)).not.toHaveProperty('dir/sub/x');
});

test.each([
  ['--immutable', { immutable: true, ignoreSize: true, sizeOnly: true }],
  ['without the flag', { fixCase: false }],
])('%s keeps the names', async (_, how) => {
  const dest = await folding(OLD);
  await runOnce('copy', await source(), dest, { fixCase, ...how });
  expect(Object.keys(await contentsOf(dest))).toEqual(
    Object.keys(await contentsOf(await folding(OLD))),
  );
});

test.each([
  ['before', { deletes: 'before' }],
  ['after', {}],
] as const)(
  'a rule that keeps names keeps those of files and directories, with deletions %s the transfers',
  async (_, how) => {
    const dest = await folding({ ...OLD, 'dir/extra': 'e' });
    const rule = {
      name: 'names',
      of: 'change',
      keepsNames: true,
      extra: 'pairs-only',
      judge: () => undefined,
    } as const;
    const { context } = quietContext();
    const { error } = await attemptSync(
      { context, filter: passAllFilter, consent: ALL_CHANGES, budget: new Budget() },
      {
        verb: 'sync',
        source: await source(),
        dest,
        options: optionsOf({ deletes: 'after', fixCase, ...how }),
        moreRules: [rule],
      },
    );
    expect(error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual(
      await contentsOf(await folding({ ...OLD, 'ch.txt': 'changed' })),
    );
  },
);

test('--dry-run only says what it would rename', async () => {
  const dest = await folding(OLD);
  const how = { fixCase };
  const { log } = await runOnce('sync', await source(), dest, how, passAllFilter, PRETEND);
  expect(await contentsOf(dest)).toEqual(await contentsOf(await folding(OLD)));
  expect(log).toContain('notice: a.txt: Skipped move to A.txt as --dry-run is set (size 1)');
});

test('a file that the filter hides is never replaced, and nothing is deleted then', async () => {
  const dest = await remoteWith({ 'A.txt': 'hidden', 'a.txt': '1', extra: 'e' });
  const listed = remoteBut(dest, {
    listPage: async (...args) => {
      const page = await dest.listPage(...args);
      return { ...page, entries: page.entries.filter(({ path }) => path !== 'A.txt') };
    },
  });
  const how = { fixCase, ignoreCaseSync: true };
  const { error } = await runOnce('sync', await remoteWith({ 'A.txt': '1' }), listed, how);
  expect(error).toMatchObject({ code: 'already-exists' });
  expect(await contentsOf(dest)).toMatchObject({ 'A.txt': 'hidden@1000', extra: 'e@1000' });
});

test('a directory that cannot be renamed keeps its name, and its files are equal to those of the source', async () => {
  const store = await folding({ 'dir/f.txt': '22' });
  const dest = remoteBut(store, { can: { ...store.can, moveDirFrom: async () => false } });
  const { error } = await runOnce('sync', await remoteWith({ 'Dir/F.txt': '22' }), dest, {
    fixCase,
  });
  expect(error?.message).toContain('"dir" keeps its name');
  expect(await contentsOf(dest)).toEqual({ 'dir/F.txt': '22@1000' });
});
