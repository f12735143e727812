import { describe, expect, test } from 'vitest';
import { memoryRemote } from '../../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../../src/backends/memory/memory-tree.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { ALL, PRETEND } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { refuseCopyDest } from '../../../src/engine/passes/references/references.ts';
import { attemptSync } from '../../../src/engine/sync.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import {
  contentsOf,
  optionsOf,
  quietContext,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../support/memory-world.ts';

/** A store with `dst`, `ref`, `ref2` and `bak`. */
async function store(files: Parameters<typeof remoteWith>[0]) {
  const tree = new MemoryTree();
  const whole = await remoteWith(files, { name: 'store', tree, emptyDirs: false });
  const at = (root: string) => memoryRemote({ name: 'store', tree, root, emptyDirs: false });
  return { whole, dst: at('dst'), ref: at('ref'), ref2: at('ref2'), bak: at('bak') };
}

const copyFrom = (...dirs: Remote[]) => ({ references: { mode: 'copy' as const, dirs } });
const compareWith = (...dirs: Remote[]) => ({ references: { mode: 'compare' as const, dirs } });

/** The names of the files whose bytes were read. */
function watched(remote: Remote): { remote: Remote; read: string[] } {
  const read: string[] = [];
  const noted = remoteBut(remote, {
    read: (file, ...rest) => {
      read.push(file.path);
      return remote.read(file, ...rest);
    },
  });
  return { remote: noted, read };
}

describe('--copy-dest', () => {
  /** A move of a bucket in one range of names, whose deletions come in a later phase. */
  async function moveInRange(source: Remote, dest: Remote, ref: Remote) {
    const range = { listed: () => {}, reaches: async () => true, onExtra: () => {} };
    const options = optionsOf({ ...copyFrom(ref), lowLevelRetries: 1 });
    const { context } = quietContext();
    const plan = { verb: 'move', source, dest, options, range } as const;
    return attemptSync(
      { context, filter: passAllFilter, consent: ALL, budget: new Budget() },
      plan,
    );
  }

  test('a move in ranges copies what a reference directory has, and deletes nothing', async () => {
    const { dst, ref } = await store({ 'ref/x': 'x' });
    const source = await remoteWith({ x: 'x' }, { emptyDirs: false });
    const { error, transferred } = await moveInRange(source, dst, ref);
    expect([error, transferred]).toEqual([undefined, 1]);
    expect([await contentsOf(source), await contentsOf(dst)]).toEqual([
      { x: 'x@1000' },
      { x: 'x@1000' },
    ]);
  });

  test('a move in ranges deletes nothing where the copy of the reference fails', async () => {
    const { dst, ref } = await store({ 'ref/x': 'x' });
    const failing = () => Promise.reject(new SyncerError('access-denied', 'not you'));
    const dest = remoteBut(dst, { can: { ...dst.can, copyFrom: failing } });
    const source = await remoteWith({ x: 'x' }, { emptyDirs: false });
    const { error } = await moveInRange(source, dest, ref);
    expect(error?.message).toContain('it stays at the source');
    expect(await contentsOf(source)).toEqual({ x: 'x@1000' });
  });

  test('copies inside the store what a reference directory has, from the first that has it', async () => {
    const { whole, dst, ref, ref2 } = await store({
      'dst/old': 'old',
      'ref/old': 'renewed',
      'ref/x': 'no',
      'ref2/x': 'yes!',
      'ref2/old': 'renewed',
    });
    const source = watched(await remoteWith({ old: 'renewed', x: 'yes!', fresh: 'fresh' }));
    const { error, transferred, log } = await runOnce(
      'copy',
      source.remote,
      dst,
      copyFrom(ref, ref2),
    );
    expect(error).toBeUndefined();
    expect(transferred).toBe(3);
    expect(source.read).toEqual(['fresh']);
    expect(await contentsOf(whole)).toMatchObject({
      'dst/old': 'renewed@1000',
      'dst/x': 'yes!@1000',
      'dst/fresh': 'fresh@1000',
    });
    expect(log).toContain('debug: x: Destination found in --copy-dest, using server-side copy');
    expect(log).toContain('debug: x: Destination not found in --copy-dest');
  });

  test('takes the file from the source where the copy fails', async () => {
    const { whole, dst, ref } = await store({ 'ref/x': 'x' });
    const dest = remoteBut(dst, {
      can: {
        ...dst.can,
        copyFrom: () => Promise.reject(new SyncerError('access-denied', 'not you')),
      },
    });
    const source = await remoteWith({ x: 'x' });
    const { error, log } = await runOnce('copy', source, dest, copyFrom(ref));
    expect(error).toBeUndefined();
    expect(log).toContain('error: x: Destination found in --copy-dest, error copying');
    expect(await contentsOf(whole)).toMatchObject({ 'dst/x': 'x@1000' });
  });

  test('copies nothing over content that is right and only lacks the time', async () => {
    const { dst, ref } = await store({ 'dst/x': ['right', 2000], 'ref/x': 'wrong' });
    const { setModTime: _, ...can } = dst.can;
    const source = await remoteWith({ x: 'right' });
    const { error } = await runOnce('copy', source, remoteBut(dst, { can }), copyFrom(ref));
    expect([error, await contentsOf(dst)]).toEqual([undefined, { x: 'right@1000' }]);
  });

  test('keeps what is replaced in the backup', async () => {
    const { whole, dst, ref, bak } = await store({ 'dst/x': 'old', 'ref/x': 'renewed' });
    const backup = { remote: bak, suffix: '', keepExtension: false };
    const source = await remoteWith({ x: 'renewed' });
    await runOnce('sync', source, dst, { ...copyFrom(ref), backup });
    expect(await contentsOf(whole)).toEqual({
      'bak/x': 'old@1000',
      'dst/x': 'renewed@1000',
      'ref/x': 'renewed@1000',
    });
  });

  test('counts for --max-transfer', async () => {
    const { whole, dst, ref } = await store({ 'ref/a': '12345', 'ref/b': '12345' });
    const source = await remoteWith({ a: '12345', b: '12345' });
    const options = { ...copyFrom(ref), maxTransfer: 7, transfers: 1, checkers: 1 };
    const { error } = await runOnce('copy', source, dst, options);
    expect(error?.code).toBe('max-transfer');
    const there = Object.keys(await contentsOf(whole)).filter((path) => path.startsWith('dst/'));
    expect(there).toHaveLength(1);
  });

  test('does not change what is --immutable', async () => {
    const { whole, dst, ref } = await store({ 'dst/x': 'old', 'ref/x': 'renewed' });
    const source = await remoteWith({ x: 'renewed' });
    const { error } = await runOnce('copy', source, dst, { ...copyFrom(ref), immutable: true });
    expect(error?.code).toBe('no-retry');
    expect(await contentsOf(whole)).toMatchObject({ 'dst/x': 'old@1000' });
  });

  test('changes nothing with --dry-run', async () => {
    const { whole, dst, ref } = await store({ 'ref/x': 'x' });
    const source = await remoteWith({ x: 'x' });
    const { log } = await runOnce('move', source, dst, copyFrom(ref), passAllFilter, PRETEND);
    expect(log).toContain('notice: x: Skipped copy as --dry-run is set (size 1)');
    expect(await contentsOf(whole)).toEqual({ 'ref/x': 'x@1000' });
    expect(await contentsOf(source)).toEqual({ x: 'x@1000' });
  });

  test('is on the remote of the destination, and its store copies', async () => {
    const { dst, ref } = await store({});
    const bucket = (remote: Remote) =>
      remoteBut(remote, { traits: { ...remote.traits, onDisk: false } });
    const refuse = (dest: Remote, reference: Remote) => () => refuseCopyDest(dest, reference);
    expect(refuse(bucket(dst), bucket(ref))).not.toThrow();
    expect(refuse(bucket(dst), bucket(memoryRemote({ name: 'other' })))).toThrow('same remote');
    expect(refuse(dst, ref)).toThrow("doesn't support server side copy");
    const without = memoryRemote({ name: 'store', without: ['copyFrom'] });
    expect(refuse(bucket(without), bucket(ref))).toThrow("doesn't support server side copy");
  });
});

describe('--compare-dest', () => {
  test('leaves out what a reference directory has, and sync deletes as ever', async () => {
    const { whole, dst, ref } = await store({ 'ref/x': 'x', 'dst/x': 'older', 'dst/gone': 'g' });
    const source = await remoteWith({ x: 'x', y: 'y' });
    await runOnce('sync', source, dst, compareWith(ref));
    expect(await contentsOf(whole)).toEqual({
      'dst/x': 'older@1000',
      'dst/y': 'y@1000',
      'ref/x': 'x@1000',
    });
  });

  test('an error is counted, and the file transferred', async () => {
    const { whole, dst, ref } = await store({ 'ref/x': 'x', 'dst/gone': 'g' });
    const failing = remoteBut(ref, {
      stat: () => Promise.reject(new SyncerError('access-denied', 'not you')),
    });
    const source = await remoteWith({ x: 'x' });
    const { error } = await runOnce('sync', source, dst, compareWith(failing));
    expect(error?.code).toBe('access-denied');
    expect(await contentsOf(whole)).toMatchObject({ 'dst/x': 'x@1000', 'dst/gone': 'g@1000' });
  });

  test('a directory or store that is not there has no files', async () => {
    const { dst, ref } = await store({});
    const missing = remoteBut(ref, {
      stat: () => Promise.reject(new SyncerError('bucket-not-found', 'no bucket')),
    });
    const source = await remoteWith({ x: 'x' });
    const { error, transferred } = await runOnce('copy', source, dst, compareWith(missing));
    expect({ error, transferred }).toEqual({ error: undefined, transferred: 1 });
  });

  test('of a move that is the source itself does not make the file go', async () => {
    const { dst, ref } = await store({ 'ref/x': 'x', 'dst/x': 'older' });
    const { error } = await runOnce('move', ref, dst, compareWith(ref));
    expect(error).toBeUndefined();
    expect(await contentsOf(dst)).toEqual({ x: 'x@1000' });
    expect(await ref.stat('x', { signal: new AbortController().signal })).toBeUndefined();
  });
});
