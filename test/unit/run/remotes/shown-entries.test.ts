import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/core/remote.ts';
import { buildFilter, type FilterOptions } from '../../../../src/filter/build-filter.ts';
import { shownEntries } from '../../../../src/run/remotes/shown-entries.ts';

const none: FilterOptions = {
  ...{
    include: [],
    'include-from': [],
    exclude: [],
    'exclude-from': [],
    filter: [],
    'filter-from': [],
  },
  ...{ 'files-from': [], 'files-from-raw': [], 'exclude-if-present': [], 'ignore-case': false },
  ...{ 'min-size': undefined, 'max-size': undefined, 'min-age': undefined, 'max-age': undefined },
  ...{ 'delete-excluded': false, 'max-depth': -1 },
};
const file = (path: string, size = 1): Entry => ({ kind: 'file', path, size });
const dir = (path: string): Entry => ({ kind: 'dir', path });

async function shown(options: Partial<FilterOptions>, entries: readonly Entry[]) {
  const filter = await buildFilter({ ...none, ...options }, async () => 'a/b.txt\n', 0);
  const isShown = shownEntries(filter, 'mount');
  return isShown === undefined ? 'all' : entries.filter(isShown).map(({ path }) => path);
}

const all = [file('x.jpg'), file('a/b.txt'), dir('a'), dir('c'), file('a/b/c/d', 10_000)];

test.each<[string, Partial<FilterOptions>, unknown]>([
  ['none', {}, 'all'],
  ['names', { exclude: ['*.jpg', '/c/**'] }, ['a/b.txt', 'a', 'a/b/c/d']],
  ['sizes', { 'max-size': 100 }, ['x.jpg', 'a/b.txt', 'a', 'c']],
  ['depth', { 'max-depth': 1 }, ['x.jpg', 'a', 'c']],
  ['a list of files', { 'files-from': ['list'] }, ['a/b.txt', 'a']],
])('filter: %s', async (_, options, expected) => {
  expect(await shown(options, all)).toEqual(expected);
});

test('what would need a look into each directory is refused', async () => {
  await expect(shown({ 'exclude-if-present': ['.ignore'] }, all)).rejects.toThrow(
    '--exclude-if-present',
  );
  await expect(shown({ 'metadata-include': ['a=b'] }, all)).rejects.toThrow('metadata');
});
