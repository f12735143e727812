import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DamagedNote } from '../../../src/core/errors.ts';
import { hasDamagedNote, Notes } from '../../../src/state/notes.ts';
import { Stores } from '../../../src/state/stores.ts';

async function stateFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-test-notes-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function storesIn(state: string | undefined): Stores {
  const stores = new Stores({ state, cache: undefined }, () => {}, Date.now);
  onTestFinished(() => stores.close());
  return stores;
}

const open = (stores: Stores | undefined, store = 'disk', onTrouble = (_: unknown) => {}) =>
  Notes.open<{ path: string; size: number }>({ kind: 'suspect', store, stores, onTrouble });

test('what was added by one process is there for the next, by store', async () => {
  const dir = await stateFolder();
  const [first, second] = [storesIn(dir), storesIn(dir)];
  const added = [
    { path: 'a\udcff', size: 1 },
    { path: 'b', size: 2 },
  ];
  const notes = await open(first);
  for (const note of added) expect(await notes.add(note)).toBe(true);
  const read = await open(second);
  expect(read.all).toEqual(added);
  expect(read.at('a\udcff')).toEqual(added.slice(0, 1));
  expect((await open(second, 'other')).all).toEqual([]);
  await Promise.all([...read.all].map((note) => read.erase(note)));
  expect((await open(first)).all).toEqual([]);
});

test('a note that is erased while it is added is gone', async () => {
  const stores = storesIn(await stateFolder());
  const notes = await open(stores);
  const note = { path: 'a', size: 1 };
  await Promise.all([notes.add(note), notes.erase(note)]);
  expect([notes.all, (await open(stores)).all]).toEqual([[], []]);
});

test('a note of another process is not erased by the number of one that is gone', async () => {
  const dir = await stateFolder();
  const [first, second] = [await open(storesIn(dir)), await open(storesIn(dir))];
  const note = { path: 'a', size: 1 };
  await first.add(note);
  const late = await open(storesIn(dir));
  await first.erase(note);
  await second.add({ path: 'b', size: 2 });
  for (const old of [...late.all]) await late.erase(old);
  expect((await open(storesIn(dir))).all).toEqual([{ path: 'b', size: 2 }]);
});

test('a note survives a power cut when it is added', async () => {
  const stores = storesIn(await stateFolder());
  const state = await stores.state();
  const durability = () => state.get('PRAGMA synchronous')?.['synchronous'];
  const write = state.write.bind(state);
  const seen: unknown[] = [];
  state.write = (work, ...how) =>
    write(
      (own) => {
        seen.push(durability());
        return work(own);
      },
      ...how,
    );
  await (await open(stores)).add({ path: 'a', size: 1 });
  expect([seen, durability()]).toEqual([[2], 1]);
});

test('a damaged note is refused, and found by doctor', async () => {
  const stores = storesIn(await stateFolder());
  await (await open(stores)).add({ path: 'a', size: 1 });
  const state = await stores.state();
  expect(hasDamagedNote(state)).toBe(false);
  state.run(`UPDATE notes SET path = x'62'`);
  const thrown = await open(stores).catch((error: unknown) => error);
  expect([thrown instanceof DamagedNote, hasDamagedNote(state)]).toEqual([true, true]);
  expect(thrown).toMatchObject({ code: 'config', advice: 'run "syncer doctor --fix"' });
});

test('a note that cannot be written is reported, and kept in memory', async () => {
  const base = await stateFolder();
  const dir = join(base, 'state');
  const troubles: unknown[] = [];
  const notes = await open(storesIn(dir), 'disk', (thrown) => troubles.push(thrown));
  await writeFile(dir, '');
  expect(await notes.add({ path: 'a', size: 1 })).toBe(false);
  expect([troubles.length, notes.all.length]).toEqual([1, 1]);
});

test('without a place for the state they are in memory', async () => {
  for (const stores of [undefined, storesIn(undefined)]) {
    const notes = await open(stores, 'disk', (thrown) => expect(thrown).toBeUndefined());
    const note = { path: 'a', size: 1 };
    expect([await notes.add(note), notes.all]).toEqual([true, [note]]);
    await notes.erase(note);
    expect(notes.all).toEqual([]);
  }
});
