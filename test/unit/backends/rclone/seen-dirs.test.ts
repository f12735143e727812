import { expect, test } from 'vitest';
import { SeenDirs } from '../../../../src/backends/rclone/seen-dirs.ts';
import type { Entry, Op } from '../../../../src/core/remote.ts';

const op: Op = { signal: new AbortController().signal };

/** A remote with directories and files, and the looks at it. */
function world(entries: readonly Entry[]) {
  const there = new Map(entries.map((entry) => [entry.path, entry]));
  const looks: string[] = [];
  const known = new SeenDirs(async (path) => {
    looks.push(path);
    return there.get(path);
  });
  return { there, looks, known };
}

const dir = (path: string): Entry => ({ kind: 'dir', path });
const file = (path: string): Entry => ({ kind: 'file', path, size: 1 });

test('a union gets no file under the name of a directory, until that is deleted', async () => {
  const { there, known } = world([dir('f')]);
  known.note([dir('f')]);
  await expect(known.refuseClash('f', op)).rejects.toMatchObject({ code: 'not-a-file' });
  there.delete('f');
  await known.refuseClash('f', op);
});

test('a union gets no file under the name of a directory that no listing has shown', async () => {
  const { looks, known } = world([dir('f'), file('g')]);
  const refused = { code: 'not-a-file', path: 'f' };
  await expect(known.refuseClash('f', op, true)).rejects.toMatchObject(refused);
  await known.refuseClash('g', op, true);
  expect(looks).toEqual(['f', 'g']);
});

test('a union gets no directory under the name of a file', async () => {
  const { there, known } = world([dir('d'), file('d/f')]);
  known.note([dir('d'), file('d/f')]);
  const refused = { code: 'not-a-directory', path: 'd/f' };
  await expect(known.refuseClash('d/f/inner', op)).rejects.toMatchObject(refused);
  await expect(known.refuseClash('d/f/a/inner', op)).rejects.toMatchObject(refused);
  there.delete('d/f');
  await known.refuseClash('d/f/a/inner', op);
});

test('new files in a directory of a union cost one look for each new directory', async () => {
  const { looks, known } = world([dir('old')]);
  known.note([dir('old')]);
  const paths = Array.from({ length: 20 }, (_, i) => `file${i}`);
  await Promise.all(paths.map((path) => known.refuseClash(`old/${path}`, op)));
  expect(looks).toEqual([]);
  await Promise.all(paths.map((path) => known.refuseClash(`new/below/${path}`, op)));
  expect(looks).toEqual(['new/below', 'new']);
});
