import { expect, test } from 'vitest';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';

const FILES = {
  a: { mode: '100644', k: 'x/y z' },
  b: { mode: '100600' },
  c: { mode: '100600', big: 'VAL' },
  none: {},
};

/** The filter of these rules for metadata, and of more flags. */
const filterOf = (rules: FilterOptions, more = {}) => {
  const flags = Object.entries(rules).map(([flag, texts]) => [`metadata-${flag}`, texts]);
  const given = { ...Object.fromEntries(flags), ...more };
  return buildFilter(given, async () => '# c\n- mode=100600\n\n', 0);
};

async function keptBy(metadata: FilterOptions, more = {}): Promise<string> {
  const filter = await filterOf(metadata, more);
  const kept = Object.entries(FILES).filter(([path, of]) =>
    filter.keepFile({ path, size: 1, metadata: of }),
  );
  return kept.map(([path]) => path).join(' ');
}

// As measured with rclone 1.75.2.
test.each<[FilterOptions, string]>([
  [{ include: ['mode=100600'] }, 'b c'],
  [{ include: ['mode=*600'] }, 'b c'],
  [{ exclude: ['mode=100600'] }, 'a none'],
  [{ include: ['k=x*'] }, ''],
  [{ include: ['k=x**'] }, 'a'],
  [{ include: ['k=x/y?z'] }, 'a'],
  [{ include: ['/k=**'] }, 'a'],
  [{ include: ['k=x/'] }, ''],
  [{ exclude: ['k=x/'] }, 'a b c none'],
  [{ include: ['y*'] }, 'a'],
  [{ include: ['{{k=.*}}'] }, 'a'],
  [{ include: ['K=**'] }, ''],
  [{ exclude: ['**'] }, ''],
  [{ include: ['**'] }, 'a b c none'],
  [{ filter: ['- k=**'] }, 'b c none'],
  [{ filter: ['+ k=**', '- mode=*'] }, 'a none'],
  [{ filter: ['- mode=100644', '+ k=**'] }, 'b c none'],
  [{ filter: ['- mode=*', '+ big=*'] }, 'none'],
  [{ filter: ['- mode=*', '!', '- big=*'] }, 'a b none'],
  [{ 'filter-from': ['file'] }, 'a none'],
])('%o', async (rules, kept) => expect(await keptBy(rules)).toBe(kept));

test('a file has to pass the rules for paths as well, and --ignore-case is for these alone', async () => {
  expect(
    await keptBy({ include: ['mode=100600'] }, { include: ['A', 'B'], 'ignore-case': true }),
  ).toBe('b');
  expect(await keptBy({ include: ['BIG=*'] }, { 'ignore-case': true })).toBe('');
});

test('they are asked for, shown, and decide about nothing that is not known yet', async () => {
  const filter = await filterOf({ include: ['k=x*y'] });
  expect(filter).toMatchObject({ passesAll: false, hasRules: true, needsMetadata: true });
  expect(filter.keepFile({ path: 'unread', size: 1 })).toBe(true);
  expect(filter.keepDir('dir')).toBe(true);
  expect(filter.describe()).toContain('--- Metadata filter rules ---\n+ (^|/)k=x[^/]*y$\n- ^.*$');
  expect((await filterOf({ filter: ['- a', '!'] })).needsMetadata).toBe(false);
});

test.each<[FilterOptions, string]>([
  [{ exclude: ['['] }, '--metadata-exclude: mismatched'],
  [{ filter: ['x'] }, '--metadata-filter: malformed rule "x"'],
  [{ 'include-from': ['x', 'x'], 'filter-from': ['x'] }, ''],
])('%o is refused where it makes no sense', async (rules, message) => {
  if (message === '') expect(await keptBy(rules)).toBe('');
  else await expect(filterOf(rules)).rejects.toThrow(message);
});

test('a list of files goes with no other rule', async () => {
  const rules = { include: ['k=*'] };
  await expect(filterOf(rules, { 'files-from': ['x'] })).rejects.toThrow(
    'overrides all other filters',
  );
});
