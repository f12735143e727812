import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QuickDisk } from '../../../../src/system/quick-disk.ts';
import { BlockBudget } from '../../../../src/vfs/contents/block-budget.ts';
import { CacheFolder } from '../../../../src/vfs/contents/cache-folder.ts';
import type { CachedFile } from '../../../../src/vfs/contents/cached-file.ts';
import {
  Holds,
  KeptReaders,
  RequestBuffers,
  Uploaded,
} from '../../../../src/vfs/contents/contents-kit.ts';
import { DiskCache } from '../../../../src/vfs/contents/disk-cache.ts';
import type { FileState } from '../../../../src/vfs/contents/file-contents.ts';
import { decodeLine, Journal } from '../../../../src/vfs/contents/journal.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { VFS_DEFAULTS } from '../../../support/vfs-defaults.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ContentsWorld, hastyClock, op } from './contents-world.ts';

/** Which state may follow which: the arrows of the picture at `FileState`. */
const ARROWS: Readonly<Record<FileState, readonly FileState[]>> = {
  clean: ['dirty'],
  dirty: ['committed'],
  committed: ['dirty', 'queued'],
  queued: ['dirty', 'uploading'],
  uploading: ['clean', 'queued', 'superseded'],
  superseded: ['dirty', 'committed', 'queued', 'clean'],
};

/** What the journal may say of a file in each state. */
const JOURNALED: Readonly<Record<FileState, readonly (string | undefined)[]>> = {
  clean: [undefined, 'clean'],
  dirty: ['open', 'pending'],
  committed: ['pending'],
  queued: ['pending'],
  uploading: ['pending'],
  superseded: ['pending'],
};

/** One open file of a cache, its uploads ended by the test. */
async function openOne() {
  const world = new ContentsWorld();
  const uploads: PromiseWithResolvers<void>[] = [];
  const remote = remoteBut(world.plain, {
    write: async (source, at) => {
      const end = Promise.withResolvers<void>();
      uploads.push(end);
      await end.promise;
      return world.plain.write(source, at);
    },
  });
  const context = { signal: op.signal, clock: hastyClock, emit: () => {} };
  const disk = new QuickDisk(hastyClock);
  const folder = new CacheFolder(world.cacheDir, remote);
  folder.make();
  const options = { ...VFS_DEFAULTS, cacheDir: world.cacheDir, cacheMode: 'full' as const };
  const journal = new Journal(folder.journal, disk);
  const holds = new Holds(() => {});
  const budget = new BlockBudget(0, 0);
  const cache = new DiskCache(
    {
      ...{ remote, options, context, budget, holds, disk },
      ...{ buffers: new RequestBuffers(), uploaded: new Uploaded(), mimeType: () => '' },
      readers: new KeptReaders(hastyClock, 0),
    },
    folder,
    journal,
    'boot',
  );
  const file = cache.create('f', undefined, 0n);
  await file.acquire();
  const close = async () => {
    for (const { resolve } of uploads) resolve();
    await cache.uploads.close();
    await cache.safety.idle();
    await journal.close();
  };
  return { file, cache, uploads, journaled: () => journaledIn(folder.journal, file), close };
}

/** As `openOne`, with a file whose commits end when the test says so. */
async function openHeld() {
  const opened = await openOne();
  const { cache, file } = opened;
  await file.write(0, Buffer.from('first'));
  const put = cache.put.bind(cache);
  const puts: PromiseWithResolvers<void>[] = [];
  cache.put = async (record, gone) => {
    const held = Promise.withResolvers<void>();
    puts.push(held);
    await held.promise;
    await put(record, gone);
  };
  const next = async (count: number) => {
    await waitFor(() => puts.length === count);
    return puts[count - 1];
  };
  return { ...opened, next };
}

/** What the journal on the disk says last of a file. */
function journaledIn(path: string, { id }: CachedFile): string | undefined {
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .map(decodeLine)
    .flatMap((line) => (line !== undefined && 'put' in line ? [line.put] : []));
  return records.findLast((record) => record.id === id)?.state;
}

test('a file on its way to the remote, changed while its upload runs', async () => {
  const { file, cache, uploads, journaled, close } = await openOne();
  const seen: string[] = [];
  const note = () => seen.push(`${file.state}: ${journaled()}`);
  await file.write(0, Buffer.from('first'));
  note();
  await file.commit();
  note();
  cache.uploads.schedule(file, 60_000);
  note();
  cache.uploads.schedule(file, 0);
  await waitFor(() => uploads.length === 1);
  note();
  await file.write(5, Buffer.from(' and more'));
  note();
  uploads[0]?.resolve();
  await waitFor(() => file.state !== 'superseded');
  note();
  await file.commit();
  cache.uploads.schedule(file, 0);
  await waitFor(() => uploads.length === 2);
  uploads[1]?.reject(new Error('the remote is away'));
  await waitFor(() => uploads.length === 3);
  note();
  uploads[2]?.resolve();
  await waitFor(() => file.state === 'clean');
  note();
  await close();
  expect(seen).toEqual([
    'dirty: open',
    'committed: pending',
    'queued: pending',
    'uploading: pending',
    'superseded: pending',
    'dirty: pending',
    'uploading: pending',
    'clean: clean',
  ]);
});

test('no state follows another but by an arrow of the picture, and the journal says what it should', async () => {
  const steps = fc.constantFrom('write', 'time', 'commit', 'queue', 'upload', 'end', 'fail');
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 15 }), async (program) => {
      const { file, cache, uploads, journaled, close } = await openOne();
      let before = file.state;
      const faults: string[] = [];
      const look = () => {
        const { state } = file;
        if (state !== before && !ARROWS[before].includes(state)) faults.push(`${before} ${state}`);
        const said = journaled();
        if (!JOURNALED[state].includes(said)) faults.push(`${state}, but the journal: ${said}`);
        before = state;
      };
      const settle = async () => {
        for (let i = 0; i < 3; i++) {
          await new Promise(setImmediate);
          look();
        }
      };
      try {
        await file.write(0, Buffer.from('x'));
        look();
        for (const step of program) {
          if (step === 'write') await file.write(file.size, Buffer.from('y'));
          if (step === 'time' && file.isDirty) file.setModTime(file.modTime + 1n);
          look();
          if (step === 'commit' || step === 'queue' || step === 'upload') await file.commit();
          look();
          if (step === 'queue' && file.isDirty) cache.uploads.schedule(file, 3_600_000);
          if (step === 'upload' && file.state === 'queued') cache.uploads.schedule(file, 0);
          if (step === 'end') for (const { resolve } of uploads.splice(0)) resolve();
          if (step === 'fail') for (const { reject } of uploads.splice(0)) reject(new Error('no'));
          await settle();
        }
      } finally {
        await close();
      }
      expect(faults).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

test('two that wait for a commit both wait for the next one', async () => {
  const { file, next, close } = await openHeld();
  const ended: string[] = [];
  const commit = (name: string) => file.commit().then(() => void ended.push(name));
  const all = [commit('first')];
  const first = await next(1);
  await file.write(5, Buffer.from(' and more'));
  all.push(commit('second'), commit('third'));
  first?.resolve();
  const second = await next(2);
  await new Promise(setImmediate);
  expect(ended).toEqual(['first']);
  second?.resolve();
  await Promise.all(all);
  await close();
});

test('a commit that fails leaves its work to the next one that waits', async () => {
  const { file, next, journaled, close } = await openHeld();
  const failed = expect(file.commit()).rejects.toThrow('the disk is away');
  const committed = file.commit();
  (await next(1))?.reject(new Error('the disk is away'));
  await failed;
  (await next(2))?.resolve();
  await committed;
  expect(journaled()).toBe('pending');
  await close();
});
