import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import { inTheWay, ObstructedWork } from '../../../src/engine/passes/obstructed.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const source = { 'was-dir': 'file', 'was-file/a': '1', 'was-file/deep/b': '2', same: 's' };
const dest = { 'was-dir/x': 'old', 'was-dir/y/z': 'old', 'was-file': 'old', same: 's' };
const settled = {
  same: 's@1000',
  'was-dir': 'file@1000',
  'was-file/a': '1@1000',
  'was-file/deep/b': '2@1000',
};

describe('a sync where a name has changed between file and directory', () => {
  test.each(['before', 'during', 'after'] as const)(
    'makes the destination identical with --delete-%s',
    async (deletes) => {
      const to = await remoteWith(dest);
      const { error, transferred } = await runOnce('sync', await remoteWith(source), to, {
        deletes,
      });
      expect(error).toBeUndefined();
      expect(transferred).toBe(3);
      expect(await contentsOf(to)).toEqual(settled);
    },
  );

  test('makes an empty directory where a file was', async () => {
    const from = await remoteWith({});
    await from.makeDir('was-file', { signal: new AbortController().signal });
    const to = await remoteWith({ 'was-file': 'old' });
    const { error } = await runOnce('sync', from, to, { createEmptySrcDirs: true });
    expect(error).toBeUndefined();
    const entry = await to.stat('was-file', { signal: new AbortController().signal });
    expect(entry?.kind).toBe('dir');
  });

  test('a copy fails, and leaves what is there', async () => {
    const to = await remoteWith(dest);
    const { error, log } = await runOnce('copy', await remoteWith(source), to);
    expect(error?.code).toMatch(/^not-a-(file|directory)$/);
    expect(log.filter((line) => line.includes('Failed to copy'))).toHaveLength(3);
    expect(Object.keys(await contentsOf(to))).toEqual(Object.keys(dest).sort());
  });

  test('another error deletes nothing, and each of them is told', async () => {
    const whole = await remoteWith({ ...source, broken: 'b' });
    const from = remoteBut(whole, {
      read: async (file, range, op) => {
        if (file.path === 'broken') throw new SyncerError('unreadable', 'permission denied');
        return whole.read(file, range, op);
      },
    });
    const to = await remoteWith(dest);
    const { log } = await runOnce('sync', from, to);
    expect(log.filter((line) => line.includes('Failed to copy'))).toHaveLength(4);
    expect(Object.keys(await contentsOf(to))).toEqual(Object.keys(dest).sort());
  });

  test('a directory that keeps a file which a filter hides stays', async () => {
    const to = await remoteWith({ 'was-dir/hidden': 'stays', 'was-dir/x': 'old' });
    const from = await remoteWith({ 'was-dir': 'file' });
    const stuck = remoteBut(to, {
      deleteDir: async (dir) => {
        throw new SyncerError('not-empty', `${dir}: directory not empty`);
      },
    });
    const { error, log } = await runOnce('sync', from, stuck);
    expect(error?.code).toBe('not-a-file');
    expect(log.join('\n')).toContain('was-dir: Failed to copy');
  });
});

describe('what stood in the way', () => {
  test('is told apart from what deleting does not mend', () => {
    const surplus = { files: [{ path: 'FILE' }], dirs: ['Dir'] };
    const isInTheWay = inTheWay(surplus, (path) => path.toLowerCase());
    const paths = ['dir', 'file/x/y', 'other', 'dirt'];
    expect(paths.filter(isInTheWay)).toEqual(['dir', 'file/x/y']);
  });

  test('other errors are not taken', () => {
    const obstructed = new ObstructedWork();
    const source = { kind: 'file', path: 'a', size: 1 } as const;
    const transfer = { do: 'copy', source, path: 'a' } as const;
    const blocked = new SyncerError('not-a-file', 'is a directory');
    expect(obstructed.takes(transfer, blocked)).toBe(true);
    expect(obstructed.takes(transfer, new SyncerError('network', 'reset'))).toBe(false);
    expect(obstructed.takes(transfer, new Error('whatever'))).toBe(false);
  });
});
