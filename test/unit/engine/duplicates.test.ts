import { expect, test } from 'vitest';
import type { FileEntry } from '../../../src/core/remote.ts';
import {
  DEDUPE_MODES,
  duplicateGroups,
  fileToKeep,
  parseDedupeMode,
} from '../../../src/engine/duplicates.ts';

const file = (path: string, md5: string | undefined, size = 1, modTime = 0n): FileEntry => ({
  kind: 'file',
  path,
  size,
  modTime,
  ...(md5 === undefined ? {} : { hashes: { md5 } }),
});

test('files are duplicates where hash and size are equal', () => {
  const files = [
    file('once', 'a'),
    file('b1', 'b'),
    file('c1', 'c', 3),
    file('b2', 'b'),
    file('c of another size', 'c', 4),
    file('c2', 'c', 3),
    file('unknown1', undefined),
    file('unknown2', undefined),
    file('empty1', ''),
    file('empty2', ''),
  ];
  const groups = duplicateGroups(files, 'md5');
  expect(groups.map((group) => [group.hash, group.files.map(({ path }) => path)])).toEqual([
    ['b', ['b1', 'b2']],
    ['c', ['c1', 'c2']],
  ]);
});

test('the mode says which file is kept', () => {
  const files = [
    file('middle', 'x', 2, 5n),
    file('old', 'x', 1, 1n),
    file('new', 'x', 3, 9n),
    file('also old', 'x', 1, 1n),
    file('also new', 'x', 3, 9n),
  ];
  const kept = DEDUPE_MODES.map((mode) => [mode, fileToKeep(files, mode)?.path]);
  expect(Object.fromEntries(kept)).toEqual({
    interactive: undefined,
    skip: undefined,
    list: undefined,
    rename: undefined,
    first: 'middle',
    oldest: 'old',
    newest: 'also new',
    smallest: 'old',
    largest: 'also new',
  });
});

test('modes are named in any case', () => {
  expect(parseDedupeMode('Newest')).toBe('newest');
  expect(() => parseDedupeMode('neuest')).toThrow('unknown mode for dedupe "neuest"');
});
