import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { proofObserver } from '../../../src/caches/proof-observer.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import { observed } from '../../../src/core/observed.ts';
import type { FileEntry, Remote } from '../../../src/core/remote.ts';
import { deleteOne, deleteOneByOne } from '../../../src/core/remote-calls.ts';
import { Stores } from '../../../src/state/stores.ts';
import { quietContext, remoteBut, remoteWith } from '../../support/memory-world.ts';
import { proofNotes } from '../../support/state-rows.ts';

const OP = { signal: new AbortController().signal };

async function withProofs(inner: Remote, stores?: Stores): Promise<Remote> {
  const { context } = quietContext();
  return observed(inner, [await proofObserver(inner, context, stores)], context.clock);
}

/** A remote with a note of `dir/file`, whose only copy is wrong. */
async function noted() {
  const base = mkdtempSync(join(tmpdir(), 'syncer-test-notes-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const stores = new Stores({ state: base, cache: undefined }, () => {}, Date.now);
  onTestFinished(() => stores.close());
  const memory = await remoteWith({ 'dir/file': 'a', 'dir/other': 'b' });
  const setModTime = async (wrong: FileEntry) => {
    throw new SyncerError('corrupted', 'other content', { wrong });
  };
  const can: Remote['can'] = {
    ...memory.can,
    setModTime,
    takeBack: async () => {},
  };
  const inner = remoteBut(memory, {
    storeId: 'store',
    can,
    delete: (files, op) =>
      deleteOneByOne(files, op, async (file) => {
        if (file.path !== 'dir/file') throw new SyncerError('access-denied', 'not you');
        await deleteOne(memory, file, op);
      }),
  });
  const remote = await withProofs(inner, stores);
  const fileAt = async (path: string) => (await remote.stat(path, OP)) as FileEntry;
  const file = await fileAt('dir/file');
  await expect(remote.can.setModTime?.(file, 5n, OP)).rejects.toThrow('other content');
  const isNoted = () => proofNotes(base).length > 0;
  expect(isNoted()).toBe(true);
  return { remote, file, other: await fileAt('dir/other'), isNoted };
}

test.each<[string, (remote: Remote, file: FileEntry) => Promise<unknown> | undefined]>([
  ['delete', (remote, file) => deleteOne(remote, file, OP)],
  ['purge', ({ can }) => can.purge?.('dir', OP)],
  ['purge of the root', ({ can }) => can.purge?.('', OP)],
])('%s erases the notes of what it deletes', async (_, remove) => {
  const { remote, file, isNoted } = await noted();
  await remove(remote, file);
  expect(isNoted()).toBe(false);
});

test('the note of a file that could not be deleted stays', async () => {
  const { remote, file, other, isNoted } = await noted();
  await expect(remote.can.setModTime?.(other, 5n, OP)).rejects.toThrow('other content');
  await remote.delete([file, other], OP);
  expect(isNoted()).toBe(true);
  expect(await remote.stat('dir/other', OP)).toMatchObject({ isWrong: true });
});

test('a write that changed nothing is not undone', async () => {
  const memory = await remoteWith({ file: 'a' });
  const there = { ...((await memory.stat('file', OP)) as FileEntry), etag: 'x' };
  const taken: string[] = [];
  const inner = remoteBut(memory, {
    storeId: 'store',
    write: async () => {
      throw new SyncerError('corrupted', 'other content', { wrong: there });
    },
    can: { ...memory.can, takeBack: async ({ path }) => void taken.push(path) },
  });
  const remote = await withProofs(inner);
  const source = { path: 'file', size: 1, seekable: true, open: async () => Buffer.from('b') };
  const write = (replaces: FileEntry | 'nothing', op = OP) =>
    expect(remote.write(source, { ...op, change: { replaces } })).rejects.toThrow('other content');
  await write(there);
  expect(taken).toEqual([]);
  await write({ ...there, etag: 'y' });
  await write('nothing');
  expect(taken).toEqual(['file', 'file']);
});

test('the same wrong content written once more is noted as what was stored last', async () => {
  const memory = await remoteWith({ file: 'a' });
  const there = { ...((await memory.stat('file', OP)) as FileEntry), etag: 'x' };
  const taken: (bigint | undefined)[] = [];
  let storedTime = 1n;
  const inner = remoteBut(memory, {
    storeId: 'store',
    write: async () => {
      throw new SyncerError('corrupted', 'other content', { wrong: { ...there, storedTime } });
    },
    stat: async () => there,
    can: {
      ...memory.can,
      takeBack: async (file) => {
        taken.push(file.storedTime);
        throw new SyncerError('precondition-failed', 'unknown');
      },
    },
  });
  const remote = await withProofs(inner);
  const source = { path: 'file', size: 1, seekable: true, open: async () => Buffer.from('b') };
  for (storedTime of [1n, 10n ** 10n]) {
    await expect(remote.write(source, OP)).rejects.toThrow('other content');
  }
  expect(taken.at(-1)).toBe(10n ** 10n);
  expect(await remote.stat('file', OP)).toMatchObject({ isWrong: true });
});

test('a write that is undone while others begin is undone once, one of a file at a time', async () => {
  const memory = await remoteWith({ a: 'a', b: 'b' });
  const there = (await memory.stat('a', OP)) as FileEntry;
  const taken: string[] = [];
  let running = 0;
  let etag = '1';
  const { promise: may, resolve: go } = Promise.withResolvers<void>();
  const inner = remoteBut(memory, {
    storeId: 'store',
    write: async (source, op) => {
      if (source.path !== 'a') return memory.write(source, op);
      throw new SyncerError('corrupted', 'other content', { wrong: { ...there, etag } });
    },
    can: {
      ...memory.can,
      takeBack: async (file) => {
        expect(++running).toBe(1);
        taken.push(file.etag ?? '');
        await may;
        running--;
      },
    },
  });
  const remote = await withProofs(inner);
  const write = (path: string) =>
    remote.write({ path, size: 1, seekable: true, open: async () => Buffer.from('b') }, OP);
  const failed = [write('a').catch((error: Error) => error.message)];
  await vi.waitFor(() => expect(taken).toEqual(['1']));
  etag = '2';
  failed.push(write('a').catch((error: Error) => error.message));
  const other = write('b');
  await new Promise(setImmediate);
  go();
  expect(await Promise.all(failed)).toEqual(['other content', 'other content']);
  expect((await other).path).toBe('b');
  expect(taken).toEqual(['1', '2']);
});
