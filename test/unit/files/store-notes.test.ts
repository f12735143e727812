import { mkdtempDisposable, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreNotes } from '../../../src/files/store-notes.ts';

test('a note that cannot be written is reported, and leaves nothing behind', async () => {
  await using base = await mkdtempDisposable(join(tmpdir(), 'syncer-notes-'));
  const folder = join(base.path, 'notes');
  const troubles: unknown[] = [];
  const notes = new StoreNotes(folder, 'disk', (_, thrown) => troubles.push(thrown));
  expect(notes.add({ path: 'first' })).toBe(true);
  expect(await readdir(folder)).toHaveLength(1);
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  expect(notes.add({ path: 'second' })).toBe(false);
  expect(troubles).toHaveLength(1);
  expect(notes.all).toHaveLength(2);
  expect(await readdir(base.path)).toEqual(['notes']);
});

test('notes that cannot be read are reported, others are read', async () => {
  await using base = await mkdtempDisposable(join(tmpdir(), 'syncer-notes-'));
  for (const path of ['a', 'b']) new StoreNotes(base.path, 'disk').add({ path });
  const [first = ''] = await readdir(base.path);
  await writeFile(join(base.path, first), '{');
  const troubles: string[] = [];
  const read = new StoreNotes(base.path, 'disk', (file) => troubles.push(file));
  expect([read.all.length, troubles]).toEqual([1, [join(base.path, first)]]);
  expect(new StoreNotes(base.path, 'other', () => troubles.push('other')).all).toEqual([]);
  expect(troubles).toHaveLength(1);
});
