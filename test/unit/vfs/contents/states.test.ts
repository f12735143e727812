import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileState } from '../../../../src/vfs/contents/file-state.ts';
import * as states from '../../../../src/vfs/contents/file-state.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ContentsWorld, openParts } from './contents-world.ts';

const page = readFileSync(
  new URL('../../../../src/vfs/contents/open-files.md', import.meta.url),
  'utf8',
);
/** The arrows of the picture, as `from --> to: arrow`. */
const drawn = [...page.matchAll(/^ {2}(\w+ --> \w+: \w+)$/gm)].map((match) => match[1] ?? '');
/** Which state may follow which. */
const isDrawn = (from: string, to: string) =>
  from === to || drawn.some((arrow) => arrow.startsWith(`${from} --> ${to}:`));

/** The cells of the rows of the table with this first heading. */
const rowsOf = (heading: string) =>
  (page.split(`| ${heading} |`)[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '');
/** What the journal may say of a file in each state. */
const saidOf = new Map(rowsOf('State').map(([state = '', , said]) => [state, namesIn(said)]));

const turn = { failures: 0, failure: undefined };
const next = { failures: 1, failure: undefined };
const upload = { path: 'f', edition: 1 };
const isUncertain = false;
const changed = { is: 'changed', isUncertain, hasCommitted: true, turn: undefined } as const;
const committed = { is: 'committed', isUncertain } as const;
const queued = { is: 'queued', isUncertain, turn } as const;
/** Every state, in each form that makes a difference. */
const FORMS: Readonly<Record<FileState['is'], readonly FileState[]>> = {
  clean: [{ is: 'clean' }],
  changed: [changed, { ...changed, hasCommitted: false }, { ...changed, turn }],
  committed: [committed],
  queued: [queued],
  uploading: [{ is: 'uploading', isUncertain, turn, upload }],
  superseded: [changed, { ...changed, turn }, committed, queued].map((now) => {
    return { is: 'superseded', now, upload };
  }),
};
/** Every arrow, with each argument that makes a difference. */
const ARROWS: Readonly<Record<string, readonly ((from: FileState) => FileState)[]>> = {
  wrote: [states.wrote],
  committed: [states.committed],
  uncommitted: [true, false].map((had) => (from) => states.uncommitted(from, had)),
  queued: [(from) => states.queued(from, next)],
  stopped: [states.stopped],
  uploadBegan: [(from) => states.uploadBegan(from, upload)],
  uploadArrived: [true, false].map((current) => (from) => states.uploadArrived(from, current)),
  uploadFailed: [(from) => states.uploadFailed(from, next)],
  uploadEnded: [states.uploadEnded],
  doubted: [true, false].map((is) => (from) => states.doubted(from, is)),
};

/** The arrows that the functions draw. Those that throw in this state are none. */
function arrowsOfCode(): string[] {
  const found = new Set<string>();
  for (const [name, ways] of Object.entries(ARROWS)) {
    for (const from of Object.values(FORMS).flat()) {
      for (const way of ways) {
        try {
          const to = way(from);
          if (to.is !== from.is) found.add(`${from.is} --> ${to.is}: ${name}`);
        } catch (thrown) {
          expect(String(thrown)).toMatch(
            /^SyncerError: a file of the mount's cache that is \w+ cannot be/,
          );
        }
      }
    }
  }
  return [...found].sort();
}

test('the picture of open-files.md draws the arrows that the functions of file-state.ts take', () => {
  expect([...drawn].sort()).toEqual(arrowsOfCode());
  expect(new Set(drawn).size).toBe(drawn.length);
});

test('open-files.md explains every state and every arrow, and no other', () => {
  expect([...saidOf.keys()]).toEqual(Object.keys(FORMS));
  const questions = ['restored', 'journaledIn', 'isChanged', 'isUncertain', 'turnOf'];
  const arrows = Object.keys(states).filter((name) => !questions.includes(name));
  expect(
    rowsOf('Arrow')
      .flatMap(([name]) => namesIn(name))
      .sort(),
  ).toEqual(arrows.sort());
  expect(Object.keys(ARROWS).sort()).toEqual(arrows.sort());
});

test('the journal says of each state what the table of open-files.md says', () => {
  for (const [state, forms] of Object.entries(FORMS)) {
    const said = new Set(forms.map(states.journaledIn));
    expect([state, [...said].sort()]).toEqual([state, [...new Set(saidOf.get(state))].sort()]);
  }
});

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
  const { cache, journal } = openParts(world, remote);
  const file = cache.create('f', undefined, 0n);
  await file.acquire();
  const close = async () => {
    for (const { resolve } of uploads) resolve();
    await cache.uploads.close();
    await cache.safety.idle();
    await journal.close();
  };
  return {
    world,
    file,
    cache,
    uploads,
    journaled: () => journal.records.get(file.id)?.state,
    close,
  };
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

test('a file on its way to the remote, changed while its upload runs', async () => {
  const { file, cache, uploads, journaled, close } = await openOne();
  const seen: string[] = [];
  const note = () => seen.push(`${file.state.is}: ${journaled()}`);
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
  await waitFor(() => file.state.is !== 'superseded');
  note();
  await file.commit();
  cache.uploads.schedule(file, 0);
  await waitFor(() => uploads.length === 2);
  uploads[1]?.reject(new Error('the remote is away'));
  await waitFor(() => uploads.length === 3);
  note();
  uploads[2]?.resolve();
  await waitFor(() => file.state.is === 'clean');
  note();
  await close();
  expect(seen).toEqual([
    'changed: open',
    'committed: pending',
    'queued: pending',
    'uploading: pending',
    'superseded: pending',
    'changed: pending',
    'uploading: pending',
    'clean: clean',
  ]);
});

test('no state follows another but by an arrow of the picture, and the journal says what it should', async () => {
  const steps = fc.constantFrom('write', 'time', 'commit', 'queue', 'upload', 'end', 'fail');
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 15 }), async (program) => {
      const { file, cache, uploads, journaled, close } = await openOne();
      let before = file.state.is;
      const faults: string[] = [];
      const look = () => {
        const state = file.state.is;
        if (!isDrawn(before, state)) faults.push(`${before} ${state}`);
        const said = journaled();
        if (said !== undefined && saidOf.get(state)?.includes(said) !== true)
          faults.push(`${state}, but the journal: ${said}`);
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
          if (step === 'upload' && file.state.is === 'queued') cache.uploads.schedule(file, 0);
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

test.each(['during', 'after'])(
  'a write that ends after its file was closed is uploaded with the rest, %s the upload of that',
  async (when) => {
    const { world, file, cache, uploads, journaled, close } = await openOne();
    await file.write(0, Buffer.from('first'));
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const writeHere = file.writeHere.bind(file);
    file.writeHere = async (offset, bytes) => {
      await written;
      await writeHere(offset, bytes);
    };
    const writing = file.write(5, Buffer.from(' and more'));
    await file.commit();
    cache.uploads.schedule(file, 0);
    await waitFor(() => uploads.length === 1);
    if (when === 'after') {
      uploads[0]?.resolve();
      await waitFor(() => cache.uploads.counts().running === 0);
    }
    resolve();
    await writing;
    expect(journaled()).toBe(when === 'after' ? 'open' : 'pending');
    uploads[0]?.resolve();
    await waitFor(() => uploads.length === 2);
    uploads[1]?.resolve();
    await waitFor(() => file.state.is === 'clean');
    expect(String(await world.get('f'))).toBe('first and more');
    await close();
  },
);

test('a file that the journal cannot call clean is uploaded again, also if it was closed again', async () => {
  const { file, cache, uploads, close } = await openOne();
  const put = cache.put.bind(cache);
  let failures = 2;
  cache.put = async (record, gone) => {
    if (record.state === 'clean' && failures-- > 0) throw new Error('the disk is away');
    return put(record, gone);
  };
  await file.write(0, Buffer.from('first'));
  await file.commit();
  cache.uploads.schedule(file, 0);
  await waitFor(() => uploads.length === 1);
  uploads[0]?.resolve();
  await waitFor(() => uploads.length === 2);
  cache.uploads.schedule(file, 0);
  expect(file.state).toMatchObject({ is: 'superseded', now: { is: 'queued' } });
  uploads[1]?.resolve();
  await waitFor(() => uploads.length === 3);
  uploads[2]?.resolve();
  await waitFor(() => file.state.is === 'clean');
  expect(cache.uploads.counts()).toEqual({ waiting: 0, running: 0, failed: 0 });
  await close();
});

test('a commit counts although the line of the first change before it fails', async () => {
  const { file, cache, close } = await openOne();
  const put = cache.put.bind(cache);
  const opened = Promise.withResolvers<void>();
  cache.put = async (record, gone) => {
    if (record.state === 'open') await opened.promise;
    await put(record, gone);
  };
  const writing = expect(file.write(0, Buffer.from('x'))).rejects.toThrow('the disk is away');
  await file.commit();
  opened.reject(new Error('the disk is away'));
  await writing;
  expect(file.state.is).toBe('committed');
  await close();
});

test('a committed file of which no empty version can be created stays the one at its path', async () => {
  const { file, cache, close } = await openOne();
  await file.write(0, Buffer.from('first'));
  await file.commit();
  const dataPath = cache.dataPath.bind(cache);
  cache.dataPath = (id) => (id === file.id ? dataPath(id) : '/dev/null/no');
  await expect(file.emptied()).rejects.toThrow();
  expect(file.isReplaced).toBe(false);
  expect(cache.find('f')).toBe(file);
  await close();
});

test('an arrow that a state does not have throws, and says what to do', () => {
  expect(() => states.uploadBegan({ is: 'clean' }, upload)).toThrow(
    expect.objectContaining({
      message: "a file of the mount's cache that is clean cannot be uploaded",
      advice: 'report this as a bug of syncer',
    }),
  );
});

test('a file that became clean just before it is scheduled is not uploaded again', async () => {
  const { file, cache, uploads, close } = await openOne();
  cache.uploads.schedule(file, 0);
  expect([file.state.is, uploads.length]).toEqual(['clean', 0]);
  await close();
});
