import { expect, test } from 'vitest';
import {
  type AgreedFile,
  AgreedFiles,
} from '../../../../../commands/bisync/two-way/agreed-files.ts';
import type { AgreedPage } from '../../../../../src/state/pairs.ts';
import { randomFrom } from '../../../../support/random-from.ts';

const FILES: Readonly<Record<string, AgreedFile>> = {
  'd/a\n"b': { a: { size: 1, modTime: -7n }, b: { size: 1, tag: 'x"]', storedTime: 9n } },
  É: { a: { size: -1, isYoung: true }, b: { size: 2, hash: 'aa' }, bPath: 'E\u0301' },
  'no \udcff UTF-8\u2028/f': { a: { size: 3, id: '12' }, b: { size: 3 } },
};
const sized = (size: number): AgreedFile => ({ a: { size }, b: { size } });

function filled(files: Readonly<Record<string, AgreedFile>>, into = new AgreedFiles()) {
  for (const [path, file] of Object.entries(files)) into.set(path, file);
  return into;
}

const again = (files: AgreedFiles, dirs: Iterable<string> = []) =>
  new AgreedFiles(files.toPages(dirs));
const inAll = (files: AgreedFiles) =>
  Object.fromEntries([...files.paths()].map((path) => [path, files.get(path) as AgreedFile]));

test('files are read from pages as they were set', () => {
  const read = again(filled(FILES));
  expect(inAll(read)).toEqual(FILES);
  expect(read.size).toBe(3);
  expect(read.get('d/a')).toBeUndefined();
  expect(read.get('other/f')).toBeUndefined();
  expect([...read.otherNames()]).toEqual([['E\u0301', 'É']]);
  expect(new Set(read.dirs())).toEqual(new Set(['', 'd', 'no \udcff UTF-8\u2028']));
});

test('a directory without files has a page, until it is gone or has some', () => {
  const pages = filled(FILES).toPages(['d', 'e', 'e/f']);
  const [e] = pages.filter(({ dir }) => dir === 'e');
  expect(pages.map(({ dir, files }) => [dir, files])).toContainEqual(['e/f', 0]);
  const next = filled({ 'e/f/g': sized(1) }, new AgreedFiles(pages));
  const after = next.toPages(['d', 'e', 'e/f']);
  expect(after.filter(({ dir }) => dir === 'e')).toEqual([e]);
  expect(after.filter(({ dir }) => dir === 'e/f')).toMatchObject([{ files: 1 }]);
  expect(next.toPages(['d']).map(({ dir }) => dir)).not.toContain('e');
});

test('of a directory with many files only the page with a change is another one', () => {
  const names = Array.from({ length: 2500 }, (_, n) => `d/${String(n).padStart(5, '0')}`);
  const first = filled(Object.fromEntries(names.map((name, n) => [name, sized(n)])));
  const pages = first.toPages([]);
  expect(pages.map(({ files }) => files)).toEqual([834, 834, 832]);
  const next = filled(inAll(first), new AgreedFiles(pages));
  next.set('d/01500', sized(7));
  next.set('d/01500x', sized(8));
  const isNew = (page: AgreedPage) => !pages.includes(page);
  expect(next.toPages([]).filter(isNew)).toMatchObject([{ files: 835 }]);
  for (let n = 0; n < 200; n++) next.set(`d/01500y${n}`, sized(9));
  const changed = next.toPages([]);
  expect(changed.filter(isNew)).toMatchObject([{ files: 518 }, { files: 517 }]);
  expect(inAll(new AgreedFiles(changed))).toEqual(inAll(next));
  next.delete('d/01500');
  expect(next.size).toBe(2700);
});

test('a copy does not change what it was made of, through any number of them', () => {
  let last = again(filled(FILES));
  let expected = FILES;
  for (let n = 0; n < 5; n++) {
    const before = expected;
    expected = { ...expected, ...(n % 2 === 0 ? { É: sized(n) } : { [`new${n}`]: sized(n) }) };
    if (n === 3) {
      const { É: _, ...rest } = expected;
      expected = rest;
    }
    const next = filled(expected, new AgreedFiles(last));
    for (const path of last.paths()) if (!(path in expected)) next.delete(path);
    expect(inAll(last)).toEqual(before);
    last = next;
    expect(inAll(last)).toEqual(expected);
    expect(last.size).toBe(Object.keys(expected).length);
    expect(inAll(again(last))).toEqual(expected);
  }
});

test('directories whose files are all gone have none', () => {
  const files = again(filled({ ...FILES, 'd/g': sized(1), 'e/h': sized(1) }));
  files.delete('d/g');
  files.delete('e/h');
  expect(new Set(files.dirs())).toEqual(new Set(['', 'd', 'no \udcff UTF-8\u2028']));
  files.set('e/h', sized(1));
  expect([...files.dirs()]).toContain('e');
});

test('does what a map does', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = randomFrom(seed);
    let files = new AgreedFiles();
    const map = new Map<string, AgreedFile>();
    for (let n = 0; n < 6000; n++) {
      const path = `${'é\udcff/'.repeat(random(3))}${random(2500)}`;
      if (random(4) === 0) {
        files.delete(path);
        map.delete(path);
      } else {
        const bPath = random(9) === 0 ? { bPath: `x${path}` } : {};
        const file = { ...sized(random(3)), ...bPath };
        files.set(path, file);
        map.set(path, file);
      }
      expect(files.get(path)).toEqual(map.get(path));
      if (n % 2000 === 1999) files = again(files);
    }
    expect(files.size).toBe(map.size);
    expect(inAll(files)).toEqual(Object.fromEntries(map));
    const others = [...map].flatMap(([path, { bPath }]) => (bPath ? [[bPath, path]] : []));
    expect(Object.fromEntries(files.otherNames())).toEqual(Object.fromEntries(others));
  }
});
