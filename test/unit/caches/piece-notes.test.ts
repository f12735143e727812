import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pieceNotes } from '../../../src/caches/piece-notes.ts';
import type { ObjectPieces } from '../../../src/core/content-pieces.ts';
import { Stores } from '../../../src/state/stores.ts';

const DAY_MS = 86_400_000;

let dir: string;
let stores: Stores;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-test-pieces-'));
  stores = new Stores({ state: join(dir, 'state'), cache: join(dir, 'cache') }, () => {});
});
afterEach(async () => {
  await stores.close();
  await rm(dir, { recursive: true });
});

function notesAt(day = 20_000, maxBytes?: number) {
  const clock = { now: () => day * DAY_MS, monotonic: () => 0, sleep: async () => {} };
  const onTrouble = (error: unknown) => {
    throw error;
  };
  return pieceNotes({ stores, clock, onTrouble, ...(maxBytes && { maxBytes }) });
}

const OBJECT: ObjectPieces = {
  etag: 'e-2',
  size: 12,
  misses: 1,
  parts: { lengths: Uint32Array.from([8, 4]), digests: Buffer.alloc(32, 1) },
  cuts: { lengths: Uint32Array.from([12]), digests: Buffer.alloc(32, 2) },
};

/** With plain arrays, which compare whatever buffers they are in. */
const plain = (found: ObjectPieces | undefined) =>
  found && {
    ...found,
    parts: found.parts && [[...found.parts.lengths], [...found.parts.digests]],
    cuts: found.cuts && [[...found.cuts.lengths], [...found.cuts.digests]],
  };

test('what was noted of an object is found by store and name in a later run', async () => {
  await notesAt().learn('store', 'b/é \udcff', OBJECT);
  expect(plain(await notesAt().find('store', 'b/é \udcff', 'e-2'))).toEqual(plain(OBJECT));
  expect(await notesAt().find('other', 'b/é \udcff', 'f')).toBeUndefined();
  expect(await notesAt().find('store', 'b/e', 'e-2')).toBeUndefined();
});

test('what was noted under another endpoint counts if the ETag is the same', async () => {
  const notes = notesAt();
  await notes.learn('http', 'b/k', OBJECT);
  await notes.learn('https', 'b/k', { etag: 'old', size: 3, misses: 0 });
  expect(plain(await notes.find('https', 'b/k', 'e-2'))).toEqual(plain(OBJECT));
  expect(await notes.find('https', 'b/k', 'neither')).toMatchObject({ etag: 'old' });
});

test('a note replaces the one before, whole', async () => {
  const notes = notesAt();
  await notes.learn('store', 'b/k', OBJECT);
  await notes.learn('store', 'b/k', { etag: 'f', size: 3, misses: 0 });
  expect(await notes.find('store', 'b/k', 'e-2')).toEqual({ etag: 'f', size: 3, misses: 0 });
});

test('a damaged note is none', async () => {
  await notesAt().learn('store', 'b/k', OBJECT);
  const cache = await stores.cache();
  cache?.run("UPDATE large_objects SET cut_sha256s = zeroblob(32), etag = 'e-2'");
  expect(await notesAt().find('store', 'b/k', 'e-2')).toBeUndefined();
});

test('notes that were not used for longest go first', async () => {
  await notesAt(1).learn('store', 'b/old', OBJECT);
  await notesAt(3).learn('store', 'b/new', OBJECT);
  await notesAt(2, 700).learn('store', 'b/between', OBJECT);
  const found = await Promise.all(
    ['old', 'between', 'new'].map((name) => notesAt().find('store', `b/${name}`, 'e-2')),
  );
  expect(found.map((one) => one !== undefined)).toEqual([false, true, true]);
});
