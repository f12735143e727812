import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { type Consent, PRETEND } from '../../../src/engine/consent.ts';
import { Budget } from '../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const ours = { 'a.txt': 'alpha', 'dir/b.txt': 'beta', 'dir/deep/c.txt': 'gamma' };
const settled = { 'a.txt': 'alpha@1000', 'dir/b.txt': 'beta@1000', 'dir/deep/c.txt': 'gamma@1000' };

describe('copy', () => {
  test('brings every file with its time and leaves other files alone', async () => {
    const source = await remoteWith(ours);
    const dest = await remoteWith({ 'other.txt': 'stays' });
    const { error, transferred } = await runOnce('copy', source, dest);
    expect(error).toBeUndefined();
    expect(transferred).toBe(3);
    expect(await contentsOf(dest)).toEqual({ ...settled, 'other.txt': 'stays@1000' });
  });

  test('a second run transfers nothing', async () => {
    const source = await remoteWith(ours);
    const dest = await remoteWith({});
    await runOnce('copy', source, dest);
    const second = await runOnce('copy', source, dest);
    expect(second.transferred).toBe(0);
    expect(second.log).toContain('debug: a.txt: Unchanged skipping');
  });

  test('a file with another time but the same hash only gets its time', async () => {
    const source = await remoteWith({ a: ['same', 5] });
    const dest = await remoteWith({ a: ['same', 9] });
    const { transferred, log } = await runOnce('copy', source, dest);
    expect(transferred).toBe(0);
    expect(log).toContain('info: a: Updated modification time in destination');
    expect(await contentsOf(dest)).toEqual({ a: 'same@5' });
  });

  test('between stores whose listings tell no times', async () => {
    const source = await remoteWith(ours, { slowModTime: true, emptyDirs: false });
    const dest = await remoteWith({ 'a.txt': ['alpha', 7] }, { slowModTime: true });
    await runOnce('copy', source, dest);
    expect(await contentsOf(dest)).toEqual(settled);
  });

  test('names that are equal when normalised are one file', async () => {
    const source = await remoteWith({ 'caf\u00e9': 'new content' });
    const dest = await remoteWith({ 'cafe\u0301': 'old' });
    await runOnce('copy', source, dest);
    expect(await contentsOf(dest)).toEqual({ 'cafe\u0301': 'new content@1000' });
  });
});

describe('sync', () => {
  test('makes the destination identical, emptied directories included', async () => {
    const source = await remoteWith(ours);
    const dest = await remoteWith({ 'a.txt': 'old', 'gone/x/y.txt': 'y', 'gone/z.txt': 'z' });
    const { error, log } = await runOnce('sync', source, dest);
    expect(error).toBeUndefined();
    expect(await contentsOf(dest)).toEqual(settled);
    expect(log).toContain('info: gone/x/y.txt: Deleted');
    expect(log).toContain('info: gone: Removing directory');
  });

  test.each(['before', 'during', 'after'] as const)(
    '--delete-%s deletes the surplus',
    async (deletes) => {
      const source = await remoteWith(ours);
      const dest = await remoteWith({ 'gone/z.txt': 'z', extra: 'e' });
      await runOnce('sync', source, dest, { deletes });
      expect(await contentsOf(dest)).toEqual(settled);
    },
  );

  test.each(['before', 'during', 'after'] as const)(
    '--delete-%s deletes nothing when a directory of the source cannot be read',
    async (deletes) => {
      const whole = await remoteWith(ours);
      const source = remoteBut(whole, {
        listPage: async (dir, cursor, op) => {
          if (dir === 'dir/deep') throw new SyncerError('unreadable', 'permission denied');
          return whole.listPage(dir, cursor, op);
        },
      });
      const dest = await remoteWith({ ...ours, extra: 'must stay', 'gone/z': 'must stay' });
      const { error, log } = await runOnce('sync', source, dest, { deletes });
      expect(error?.code).toBe('no-deletes');
      expect(log.join('\n')).toContain('not deleting files as there were IO errors');
      expect(await contentsOf(dest)).toEqual({
        ...settled,
        extra: 'must stay@1000',
        'gone/z': 'must stay@1000',
      });
    },
  );

  test('a directory of the destination that was listed and is not found when read does not count as empty', async () => {
    const source = await remoteWith({ 'd/file': 'ours', other: 'o' });
    const whole = await remoteWith({ 'd/file': 'newer', extra: 'must stay' });
    const dest = remoteBut(whole, {
      listPage: async (dir, cursor, op) => {
        if (dir === 'd') throw new SyncerError('directory-not-found', 'directory not found');
        return whole.listPage(dir, cursor, op);
      },
    });
    const { error, log } = await runOnce('sync', source, dest, { ignoreExisting: true });
    expect(error?.code).toBe('no-deletes');
    expect(log.join('\n')).toContain('directory not found: d');
    expect(await contentsOf(whole)).toMatchObject({ 'd/file': 'newer@1000', other: 'o@1000' });
    expect(await contentsOf(whole)).toHaveProperty('extra');
  });

  test('a root of a disk that is there and is not found when read does not count as empty', async () => {
    const source = await remoteWith({ file: 'ours' });
    const whole = await remoteWith({ file: 'newer' });
    const dest = remoteBut(whole, {
      traits: { ...whole.traits, onDisk: true },
      stat: async (path, op) => (path === '' ? { kind: 'dir', path } : whole.stat(path, op)),
      async listPage() {
        throw new SyncerError('directory-not-found', 'directory not found');
      },
    });
    const { error } = await runOnce('copy', source, dest);
    expect(error).toMatchObject({ code: 'vanished', outdated: true });
    expect(await contentsOf(whole)).toEqual({ file: 'newer@1000' });
  });

  test('a second page of a listing that fails deletes nothing', async () => {
    const whole = await remoteWith({ a: '1', b: '2', c: '3' }, { pageSize: 1 });
    let pages = 0;
    const source = remoteBut(whole, {
      listPage: async (dir, cursor, op) => {
        if (++pages === 2) throw new SyncerError('network', 'connection reset');
        return whole.listPage(dir, cursor, op);
      },
    });
    const dest = await remoteWith({ a: '1', b: '2', c: '3', d: '4' });
    const { error, worthRetrying } = await runOnce('sync', source, dest);
    expect(error).toBeDefined();
    expect(worthRetrying).toBe(true);
    expect(Object.keys(await contentsOf(dest))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a store that breaks its promise of order is not believed', async () => {
    const whole = await remoteWith({ a: '1', b: '2', c: '3' });
    const source = remoteBut(whole, {
      listPage: async (dir, cursor, op) => {
        const page = await whole.listPage(dir, cursor, op);
        return { ...page, entries: page.entries.toReversed() };
      },
    });
    const dest = await remoteWith({ a: '1', b: '2', c: '3' });
    const { error } = await runOnce('sync', source, dest);
    expect(error).toBeDefined();
    expect(Object.keys(await contentsOf(dest))).toEqual(['a', 'b', 'c']);
  });

  test('a missing source deletes nothing and ends with exit code 3', async () => {
    const source = await remoteWith({}, { root: 'not/there' });
    const dest = await remoteWith(ours);
    const { error } = await runOnce('sync', source, dest);
    expect(error?.exit).toBe(3);
    expect(await contentsOf(dest)).toEqual(settled);
  });

  test('a failed transfer deletes nothing, unless --ignore-errors', async () => {
    const make = async () => {
      const whole = await remoteWith({ extra: 'e' });
      return remoteBut(whole, {
        write: async (source, op) => {
          if (source.path === 'a.txt') throw new SyncerError('no-space', 'no space left');
          return whole.write(source, op);
        },
      });
    };
    const careful = await make();
    await runOnce('sync', await remoteWith({ 'a.txt': 'x' }), careful);
    expect(Object.keys(await contentsOf(careful))).toEqual(['extra']);
  });

  test('a full place at the destination does not stop the files of other places', async () => {
    const whole = await remoteWith({ extra: 'e' });
    const dest = remoteBut(whole, {
      write: async (source, op) => {
        if (source.path.startsWith('a/')) throw new SyncerError('no-space', 'no space left');
        return whole.write(source, op);
      },
    });
    const source = await remoteWith({ 'a/1': 'x', 'a/2': 'x', 'z/1': 'x', 'z/2': 'x' });
    const { error, errors } = await runOnce('sync', source, dest);
    expect([error?.code, error?.stop, errors]).toEqual(['no-space', false, 2]);
    // And deletes nothing.
    expect(Object.keys(await contentsOf(dest))).toEqual(['extra', 'z/1', 'z/2']);
  });

  test('--backup-dir keeps what was overwritten and deleted', async () => {
    const source = await remoteWith({ changed: 'new' });
    const dest = await remoteWith({ changed: 'old one', gone: 'gone one' });
    const backup = await remoteWith({});
    await runOnce('sync', source, dest, {
      backup: { remote: backup, suffix: '.bak', keepExtension: false },
    });
    expect(await contentsOf(dest)).toEqual({ changed: 'new@1000' });
    expect(await contentsOf(backup)).toEqual({
      'changed.bak': 'old one@1000',
      'gone.bak': 'gone one@1000',
    });
  });

  test('--max-delete stops with exit code 7 at the first file beyond it', async () => {
    const dest = await remoteWith({ a: '1', b: '2', c: '3', keep: 'k' });
    const { error } = await runOnce('sync', await remoteWith({ keep: 'k' }), dest, {
      budget: new Budget(2),
    });
    expect(error?.exit).toBe(7);
    expect(Object.keys(await contentsOf(dest))).toHaveLength(2);
  });

  test('--dry-run changes nothing and says everything', async () => {
    const source = await remoteWith({ fresh: 'f', changed: 'new!', 'sub/timed': ['t', 5] });
    const before = { changed: 'old', 'gone/file': 'g', 'sub/timed': ['t', 6] } as const;
    const dest = await remoteWith(before);
    const { log } = await runOnce('sync', source, dest, {}, passAllFilter, PRETEND);
    expect(await contentsOf(dest)).toEqual(await contentsOf(await remoteWith(before)));
    expect(log).toEqual(
      expect.arrayContaining([
        'notice: fresh: Skipped copy as --dry-run is set (size 1)',
        'notice: changed: Skipped copy as --dry-run is set (size 4)',
        'notice: sub/timed: Skipped update modification time as --dry-run is set (size 1)',
        'notice: gone/file: Skipped delete as --dry-run is set (size 1)',
        'notice: gone: Skipped remove directory as --dry-run is set',
      ]),
    );
  });

  test('--track-renames renames at the destination', async () => {
    const source = await remoteWith({ 'new/name': 'the content', fresh: 'f' });
    const dest = await remoteWith({ 'old/name': 'the content' });
    const trackRenames = { hash: true, modTime: false, leaf: false };
    const { transferred, log } = await runOnce('sync', source, dest, { trackRenames });
    expect(transferred).toBe(1);
    expect(log).toContain('info: new/name: Renamed from "old/name"');
    expect(await contentsOf(dest)).toEqual({ 'new/name': 'the content@1000', fresh: 'f@1000' });
  });
});

describe('move', () => {
  test('keeps a file whose new time its destination accepted, and did not store', async () => {
    const source = await remoteWith({ a: ['same', 5] });
    const dest = await remoteWith({ a: ['same', 9] });
    const can = { ...dest.can, setModTime: async (file: FileEntry) => ({ ...file, modTime: 5n }) };
    const lying = remoteBut(dest, { can, traits: { ...dest.traits, onDisk: false } });
    const { error } = await runOnce('move', source, lying);
    expect(error?.message).toContain('did not store it');
    expect(await contentsOf(source)).toEqual({ a: 'same@5' });
  });

  test('takes the files away from the source, equal ones too', async () => {
    const source = await remoteWith({ fresh: 'f', equal: 'e' });
    const dest = await remoteWith({ equal: 'e' });
    await runOnce('move', source, dest);
    expect(await contentsOf(source)).toEqual({});
    expect(await contentsOf(dest)).toEqual({ fresh: 'f@1000', equal: 'e@1000' });
  });

  test('keeps the source of a file whose transfer failed', async () => {
    const source = await remoteWith({ a: '1', b: '2' });
    const whole = await remoteWith({});
    const dest = remoteBut(whole, {
      write: async (file, op) => {
        if (file.path === 'a') throw new SyncerError('access-denied', 'no');
        return whole.write(file, op);
      },
    });
    const { error } = await runOnce('move', source, dest);
    expect(error?.code).toBe('access-denied');
    expect(Object.keys(await contentsOf(source))).toEqual(['a']);
  });

  test('--delete-empty-src-dirs', async () => {
    const source = await remoteWith({ 'x/y/z': '1' });
    await runOnce('move', source, await remoteWith({}), { deleteEmptySrcDirs: true });
    expect(await contentsOf(source)).toEqual({});
  });
});

describe('guards', () => {
  test('--immutable refuses to change a file: exit code 6', async () => {
    const dest = await remoteWith({ a: 'old' });
    const { error } = await runOnce('copy', await remoteWith({ a: 'new!' }), dest, {
      immutable: true,
    });
    expect(error?.exit).toBe(6);
    expect(await contentsOf(dest)).toEqual({ a: 'old@1000' });
  });

  test('--max-transfer ends with exit code 8', async () => {
    const source = await remoteWith({ a: '12345', b: '12345', c: '12345' });
    const { error } = await runOnce('copy', source, await remoteWith({}), {
      maxTransfer: 11,
      transfers: 1,
    });
    expect(error?.exit).toBe(8);
  });

  test.each(['copy', 'move'] as const)(
    '--max-transfer names the file that is not: %s',
    async (verb) => {
      const source = await remoteWith({ big: '12345678', small: '1' });
      const options = { maxTransfer: 4, transfers: 1 };
      const { events } = await runOnce(verb, source, await remoteWith({}), options);
      const logged = events.filter((event) => event.type === 'log' && event.code === 'failed');
      expect(logged).toEqual([
        expect.objectContaining({
          path: 'big',
          fields: expect.objectContaining({ doing: 'copy' }),
        }),
      ]);
    },
  );

  test.each([
    ['hard', 1, 2],
    ['soft', 1, 2],
    ['soft', 8, 2],
    ['cautious', 1, 1],
  ] as const)(
    '--cutoff-mode %s where the limit is just reached by one of %i transfers',
    async (cutoffMode, transfers, copied) => {
      const source = await remoteWith({ a: '12345', b: '12345', c: '12345' });
      const dest = await remoteWith({});
      const options = { maxTransfer: 10, cutoffMode, transfers };
      const { error } = await runOnce('copy', source, dest, options);
      expect(error?.exit).toBe(8);
      expect(Object.keys(await contentsOf(dest))).toHaveLength(copied);
    },
  );

  test('nothing is deleted once a run has reached it, in spite of --ignore-errors', async () => {
    const source = await remoteWith({ a: '12345', b: '12345' });
    const dest = await remoteWith({ surplus: 'stays' });
    const limit = { cutoffMode: 'hard', maxTransfer: 6, ignoreErrors: true } as const;
    const { error } = await runOnce('sync', source, dest, limit);
    expect(error?.exit).toBe(8);
    expect(await contentsOf(dest)).toMatchObject({ surplus: 'stays@1000' });
  });
});

test('a plan may have more new directories in one than a call takes arguments', async () => {
  const dirs = Array.from({ length: 130_000 }, (_, at) => `d${at}`).sort();
  const empty = await remoteWith({});
  const source = remoteBut(empty, {
    listPage: async (dir) => ({
      entries: dir === '' ? dirs.map((path) => ({ kind: 'dir' as const, path })) : [],
    }),
  });
  const plan: Consent = {
    how: 'collect',
    plan: { isReadOnly: false, allows: () => false, choose: async () => 'end' },
  };
  const options = { createEmptySrcDirs: true, noUpdateDirModTime: true };
  const { error } = await runOnce('copy', source, empty, options, passAllFilter, plan);
  expect(error).toBeUndefined();
});
