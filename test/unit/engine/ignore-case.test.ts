import { describe, expect, test } from 'vitest';
import { MemoryTree } from '../../../src/backends/memory/memory-tree.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { retryRun } from '../../../src/engine/run.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { attemptOneFile } from '../../../src/run/transfer/transfer.ts';
import {
  contentsOf,
  type Files,
  plainOptions,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';

/** A store that takes names that differ only in case for one, as Windows and its drives do. */
const foldingWith = (files: Files, options = {}) =>
  remoteWith(files, { caseInsensitive: true, tree: new MemoryTree(true), ...options });

const op = { signal: new AbortController().signal };

describe('a destination without regard to case', () => {
  test('has the file under another spelling, and keeps that', async () => {
    const source = await remoteWith({ 'Read.Me': 'newer', 'Dir/Same': 's', 'Dir/Deep/NEW': 'n' });
    const dest = await foldingWith({ 'READ.ME': 'old', 'dir/same': 's', 'dir/gone': 'g' });
    const { error, log } = await runOnce('sync', source, dest);
    expect(error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual({
      'READ.ME': 'newer@1000',
      'dir/same': 's@1000',
      'dir/Deep/NEW': 'n@1000',
    });
    expect(log).toContain('info: Read.Me: Copied (replaced existing) to: READ.ME');
    const again = await runOnce('sync', source, dest);
    expect(again.transferred).toBe(0);
  });

  const clashing = { a: 'small', A: 'LARGE', 'D/x': '1', 'd/y': '2', z: 'z' } as const;

  test.each([
    ['with a listing', {}],
    ['--no-traverse', { noTraverse: true }],
    ['--no-check-dest', { noCheckDest: true }],
    ['--delete-before', { deletes: 'before' }],
    ['--delete-during', { deletes: 'during' }],
  ] as const)('gets one of two files of one name, and nothing is deleted: %s', async (_, how) => {
    const source = await remoteWith(clashing);
    const dest = await foldingWith({ surplus: 's' });
    const { error, log } = await runOnce('sync', source, dest, how);
    expect(error).toMatchObject({ code: 'already-exists', exit: 1 });
    expect(await contentsOf(dest)).toEqual({
      A: 'LARGE@1000',
      'D/x': '1@1000',
      z: 'z@1000',
      surplus: 's@1000',
    });
    expect(log).toContain(
      'error: a: "a" is skipped: at the destination it is the same file as "A", which differs only in case; rename one of them',
    );
    expect(log.join('\n')).toContain('"d" is skipped: at the destination it is the same directory');
  });

  test('a move leaves the other one where it is', async () => {
    const source = await remoteWith(clashing);
    const { error } = await runOnce('move', source, await foldingWith({}));
    expect(error?.message).toContain('rename one of them');
    expect(await contentsOf(source)).toEqual({ a: 'small@1000', 'd/y': '2@1000', 'D/': '' });
  });

  test('a list of files may spell a name twice without one of them being deleted', async () => {
    const filter = { ...passAllFilter, fileList: new Set(['A', 'a', 'b']) };
    const source = await remoteWith({ a: 'newer' });
    const dest = await foldingWith({ a: 'old', b: 'surplus' });
    const { error } = await runOnce('sync', source, dest, {}, filter);
    expect(error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual({ a: 'newer@1000' });
    const both = await remoteWith({ a: 'small', A: 'LARGEST' });
    const clash = await runOnce('sync', both, dest, {}, filter);
    expect(clash.error?.message).toContain('"a" is skipped');
    expect(Object.values(await contentsOf(dest))).toEqual(['LARGEST@1000']);
  });
});

describe('--ignore-case-sync', () => {
  const ignoreCaseSync = true;

  test('matches names on stores that tell them apart', async () => {
    const source = await remoteWith({ File: 'newer', 'Dir/F': 'f' });
    const dest = await remoteWith({ file: 'old', 'dir/f': 'old', gone: 'g' });
    expect((await runOnce('sync', source, dest, { ignoreCaseSync })).error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual({ file: 'newer@1000', 'dir/f': 'f@1000' });
  });

  test('takes one of two files and says so, on either side', async () => {
    const source = await remoteWith({ a: 'a', A: 'A', 'D/x': 'x', 'd/y': 'y', B: 'B' });
    const dest = await remoteWith({ b: 'b', B: 'B' });
    const { error, log } = await runOnce('sync', source, dest, { ignoreCaseSync });
    expect(error).toBeUndefined();
    expect(log).toEqual(
      expect.arrayContaining([
        'notice: a: Duplicate object found in source - ignoring',
        'notice: d: Duplicate directory found in source - ignoring',
        'notice: b: Duplicate object found in destination - ignoring',
      ]),
    );
    expect(await contentsOf(dest)).toEqual({
      A: 'A@1000',
      B: 'B@1000',
      'D/x': 'x@1000',
      b: 'b@1000',
    });
  });
});

describe('a file whose old version goes into the backup', () => {
  const run = async (files: Files, options = {}) => {
    const tree = new MemoryTree();
    const at = (root: string) => remoteWith({}, { name: 'store', tree, root });
    const whole = await remoteWith(files, { name: 'store', tree });
    const backup = { remote: await at('bak'), suffix: '', keepExtension: false };
    const source = await remoteWith({ Read: 'newer' });
    const how = { ignoreCaseSync: true, backup, ...options };
    const { error } = await runOnce('sync', source, await at('dst'), how);
    return { error, there: await contentsOf(whole) };
  };

  test('comes with the name that it has at the source', async () => {
    const { error, there } = await run({ 'dst/read': 'old' });
    expect(error).toBeUndefined();
    expect(there).toEqual({ 'bak/read': 'old@1000', 'dst/Read': 'newer@1000' });
  });

  test('but not onto a directory', async () => {
    const { error, there } = await run({ 'dst/READ': 'old', 'dst/Read/x': 'third' });
    expect(error).toBeUndefined();
    expect(there).toEqual({
      'bak/READ': 'old@1000',
      'bak/Read/x': 'third@1000',
      'dst/READ': 'newer@1000',
    });
  });

  test('and a file of the very name is the one that it replaces', async () => {
    const { error, there } = await run({ 'dst/READ': 'other', 'dst/Read': 'old' });
    expect(error).toBeUndefined();
    expect(there).toEqual({
      'bak/Read': 'old@1000',
      'dst/READ': 'other@1000',
      'dst/Read': 'newer@1000',
    });
  });
});

test.each(['copy', 'sync', 'move'] as const)(
  '%s of a file that replaces another spelling keeps the name of the destination',
  async (verb) => {
    const tree = new MemoryTree();
    const at = (root: string, files: Files) => remoteWith(files, { name: 'store', tree, root });
    const [source, dest] = [await at('src', { Read: 'newer' }), await at('dst', { read: 'old' })];
    const { error } = await runOnce(verb, source, dest, { ignoreCaseSync: true });
    expect([error, await contentsOf(dest)]).toEqual([undefined, { read: 'newer@1000' }]);
  },
);

describe('a name that a listing gives twice', () => {
  const twice = (remote: Remote, name: string) =>
    remoteBut(remote, {
      listPage: async (...args) => {
        const page = await remote.listPage(...args);
        const isTwice = ({ path }: { path: string }) => path === name;
        return {
          ...page,
          entries: page.entries.flatMap((entry) => (isTwice(entry) ? [entry, entry] : [entry])),
        };
      },
    });

  test.each([1, 1000])('counts once, and is not deleted: %d entries a page', async (pageSize) => {
    const source = twice(await remoteWith({ a: 'a', 'd/x': 'x' }, { pageSize }), 'd');
    const dest = twice(await remoteWith({ a: 'old', b: 'b' }, { pageSize }), 'b');
    const { error, log, transferred } = await runOnce('sync', source, dest);
    expect(error).toBeUndefined();
    expect(transferred).toBe(2);
    expect(log).toContain('notice: d: Duplicate directory found in source - ignoring');
    expect(log).toContain('notice: b: Duplicate object found in destination - ignoring');
    expect(log.filter((line) => line === 'info: b: Deleted')).toHaveLength(1);
  });
});

describe('moveto another spelling of the same name', () => {
  const moveTo = async (remote: Remote, verb: 'move' | 'copy' = 'move') => {
    const file = await remote.stat('dir/name', op);
    if (file?.kind !== 'file') throw new Error('the file is missing');
    const plan = { verb, source: remote, dest: remote, options: plainOptions };
    const setup = {
      context: quietContext().context,
      filter: passAllFilter,
      consent: ALL,
      budget: new Budget(),
    };
    return attemptOneFile(setup, plan, file, 'dir/NAME');
  };

  test('renames the file', async () => {
    const remote = await foldingWith({ 'dir/name': 'n' });
    expect((await moveTo(remote)).error).toBeUndefined();
    expect(await contentsOf(remote)).toEqual({ 'dir/NAME': 'n@1000' });
  });

  test('is refused where the store cannot rename, and the file stays', async () => {
    const remote = await foldingWith({ 'dir/name': 'n' }, { without: ['moveFrom'] });
    expect((await moveTo(remote)).error).toMatchObject({ code: 'unsupported' });
    expect(await contentsOf(remote)).toEqual({ 'dir/name': 'n@1000' });
  });

  test('is nothing to do for a copy', async () => {
    const remote = await foldingWith({ 'dir/name': 'n' });
    expect(await moveTo(remote, 'copy')).toMatchObject({ error: undefined, transferred: 0 });
    expect(await contentsOf(remote)).toEqual({ 'dir/name': 'n@1000' });
  });

  test('is a copy and a delete where the store tells them apart', async () => {
    const remote = await remoteWith({ 'dir/name': 'n' }, { without: ['moveFrom'] });
    expect((await moveTo(remote)).error).toBeUndefined();
    expect(await contentsOf(remote)).toEqual({ 'dir/NAME': 'n@1000' });
  });
});

test('another attempt of a move never replaces a file by one that it cannot be distinguished from', async () => {
  const source = await remoteWith({ X: 'one', x: 'another' });
  const dest = await remoteWith({}, { caseInsensitive: true });
  const { context } = quietContext();
  const plan = { verb: 'move', source, dest, options: plainOptions } as const;
  const setup = {
    context,
    filter: passAllFilter,
    consent: ALL,
    budget: new Budget(),
    clashes: new Map(),
  };
  const run = retryRun(context, { retries: 3, sleepMs: 0 }, () => attemptSync(setup, plan));
  await expect(run).rejects.toThrow('differs only in case');
  expect(await contentsOf(source)).toEqual({ x: 'another@1000' });
  expect(await contentsOf(dest)).toEqual({ X: 'one@1000' });
});
