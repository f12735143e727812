import { describe, expect, test } from 'vitest';
import { modTimeFromMs } from '../../../src/core/mod-time.ts';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';
import { type Filter, passAllFilter } from '../../../src/filter/filter.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;

const build = (options: FilterOptions, files: Record<string, string> = {}) =>
  buildFilter(
    options,
    async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no such file: ${path}`);
      return text;
    },
    NOW,
  );

const kept = (filter: Filter, ...paths: string[]) =>
  paths.filter((path) => filter.keepFile({ path, size: 1 }));

const rulesOf = (filter: Filter) => {
  const lines = filter.describe().split('\n');
  return lines.slice(
    lines.indexOf('--- File filter rules ---') + 1,
    lines.indexOf('--- Directory filter rules ---'),
  );
};

describe('the order of rules', () => {
  test('is by kind, in each as given, with an exclude of all after an include', async () => {
    const filter = await build(
      {
        'filter-from': ['rules'],
        filter: ['- f1', '+ f2'],
        'exclude-from': ['ex'],
        exclude: ['e1', 'e2'],
        'include-from': ['-', 'in'],
        include: ['i1'],
      },
      { rules: '+ r1\n- r2\n', ex: 'x1', in: 'n1\n', '-': 's1\ns2' },
    );
    expect(rulesOf(filter)).toEqual(
      ['+ i1', '+ s1', '+ s2', '+ n1', '- e1', '- e2', '- x1', '- f1', '+ f2', '+ r1', '- r2']
        .map((rule) => `${rule.replace(' ', ' (^|/)')}$`)
        .concat('- ^.*$'),
    );
  });

  test('an exclude before an include of --filter wins, what nothing matches is kept', async () => {
    const filter = await build({ filter: ['- *.tmp', '+ keep.tmp', '- /x/'] });
    expect(kept(filter, 'a.tmp', 'keep.tmp', 'a', 'x/a', 'y/x/a')).toEqual(['a', 'y/x/a']);
  });

  test('! forgets what came before', async () => {
    const filter = await build({ exclude: ['a'], filter: ['- b', '!', '- c'] });
    expect(rulesOf(filter)).toEqual(['- (^|/)c$']);
  });

  test('the same rule is not added twice', async () => {
    const filter = await build({ exclude: ['a', 'a', 'b', 'a'] });
    expect(rulesOf(filter)).toEqual(['- (^|/)a$', '- (^|/)b$']);
  });

  test('an include-from without lines still excludes all', async () => {
    const filter = await build({ 'include-from': ['f'] }, { f: '# nothing\n' });
    expect(kept(filter, 'a', 'b/c')).toEqual([]);
  });
});

describe('files of rules', () => {
  test('comments, blank lines, blanks around, CRLF', async () => {
    const text = '# c\r\n; c\n\n  a.txt \r\n\t b\u00a0\n #d\n#e\n\\#f\nlast';
    const filter = await build({ 'exclude-from': ['f'] }, { f: text });
    expect(rulesOf(filter)).toEqual(
      [String.raw`a\.txt`, 'b', String.raw`\#f`, 'last'].map((each) => `- (^|/)${each}$`),
    );
  });

  test('comments are none on the command line', async () => {
    expect(kept(await build({ exclude: ['#a', ' b '] }), '#a', 'b', ' b ')).toEqual(['b']);
    await expect(build({ filter: ['# c'] })).rejects.toThrow('--filter: malformed rule "# c"');
  });
});

describe('--files-from', () => {
  const lists = { l: '# c\n; c\n\n/a.txt\n  dir/sub/b \r\nc/\n', r: '# c\n x \r\n\n' };

  test('exact paths, trimmed', async () => {
    const filter = await build({ 'files-from': ['l'] }, lists);
    expect(filter.fileList).toEqual(new Set(['a.txt', 'dir/sub/b', 'c']));
    expect(kept(filter, 'a.txt', 'x/a.txt', 'dir/sub/b', 'c', 'A.TXT')).toEqual([
      'a.txt',
      'dir/sub/b',
      'c',
    ]);
    expect(['', 'dir', 'dir/sub', 'dir/other', 'a.txt', 'x'].filter(filter.keepDir)).toEqual([
      '',
      'dir',
      'dir/sub',
    ]);
  });

  test('directories on the way are without dots and double slashes', async () => {
    const filter = await build({ 'files-from': ['l'] }, { l: 'd/../a\ne//x\nf/./y\n' });
    expect(['d', 'd/..', 'e', 'f', 'f/.'].filter(filter.keepDir)).toEqual(['e', 'f']);
  });

  test('raw lines are taken as they are', async () => {
    const filter = await build({ 'files-from-raw': ['r'] }, lists);
    expect(filter.fileList).toEqual(new Set(['# c', ' x ', '']));
  });

  test('both together are one list', async () => {
    const filter = await build({ 'files-from': ['l', 'l'], 'files-from-raw': ['r'] }, lists);
    expect(filter.fileList?.size).toBe(6);
    expect(filter.passesAll).toBe(false);
  });

  test('an empty list keeps nothing', async () => {
    const filter = await build({ 'files-from': ['e'] }, { e: '' });
    expect(filter.fileList).toEqual(new Set());
    expect(kept(filter, 'a', '')).toEqual([]);
  });

  test.each<FilterOptions>([
    { include: ['a'] },
    { filter: ['- a'] },
    { 'min-size': 0 },
    { 'max-age': '1h' },
    { 'exclude-if-present': ['.no'] },
  ])('not with other filters: %o', async (other) => {
    await expect(build({ ...other, 'files-from': ['l'] }, lists)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^--files-from overrides all other filters/),
    });
  });

  test('flags that are no filters do not matter', async () => {
    const flags = {
      'ignore-case': true,
      'delete-excluded': true,
      'max-depth': 2,
      'max-size': -1,
      'min-age': 'off',
    };
    await expect(build({ ...flags, 'files-from': ['l'] }, lists)).resolves.toBeDefined();
  });
});

describe('sizes and ages', () => {
  test('sizes are inclusive; an unknown one is below every least size', async () => {
    const filter = await build({ 'min-size': 10, 'max-size': 20 });
    const sizes = [-1, 9, 10, 20, 21];
    expect(sizes.filter((size) => filter.keepFile({ path: 'a', size }))).toEqual([10, 20]);
    const small = await build({ 'max-size': 20 });
    expect(small.keepFile({ path: 'a', size: -1 })).toBe(true);
    expect((await build({ 'min-size': -1, 'max-size': -1 })).passesAll).toBe(true);
  });

  test('ages are inclusive and count from the time given', async () => {
    const filter = await build({ 'min-age': '1h', 'max-age': '2h' });
    expect(filter.needsModTime).toBe(true);
    const keeps = (ageMs: number, ns = 0n) =>
      filter.keepFile({ path: 'a', size: 1, modTime: modTimeFromMs(NOW - ageMs) + ns });
    expect([keeps(HOUR), keeps(HOUR, 1n), keeps(2 * HOUR), keeps(2 * HOUR, -1n)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(filter.keepFile({ path: 'a', size: 1 })).toBe(true);
  });

  test('an age of more seconds than a date has years selects no file', async () => {
    const filter = await build({ 'min-age': '99999999999999999999' });
    expect(filter.keepFile({ path: 'a', size: 1, modTime: modTimeFromMs(NOW) })).toBe(false);
    expect(filter.describe()).toContain('Last-modified date must be equal or less than');
  });

  test('an age may be a date, or off', async () => {
    const time = '2026-11-20T10:00:00.5Z';
    const younger = await build({ 'max-age': time, 'min-age': 'off' });
    const older = await build({ 'min-age': time });
    const at = (ms: number) => ({
      path: 'a',
      size: 1,
      modTime: modTimeFromMs(Date.parse(time) + ms),
    });
    const offsets = [-1, 0, 1];
    expect(offsets.map((ms) => younger.keepFile(at(ms)))).toEqual([false, false, true]);
    expect(offsets.map((ms) => older.keepFile(at(ms)))).toEqual([true, true, false]);
  });
});

describe('what a filter tells', () => {
  test('without flags it passes all', async () => {
    for (const filter of [await build({}), passAllFilter]) {
      expect(filter).toMatchObject({ passesAll: true, needsModTime: false, maxDepth: -1 });
      expect(kept(filter, 'a', 'b/c')).toEqual(['a', 'b/c']);
      expect(filter.keepDir('a')).toBe(true);
    }
    expect((await build({})).describe()).toBe(passAllFilter.describe());
  });

  test.each<FilterOptions>([
    { include: ['**'] },
    { 'exclude-if-present': ['.no'] },
    { 'max-depth': 1 },
    { 'min-size': 0 },
  ])('with %o it does not', async (options) =>
    expect((await build(options)).passesAll).toBe(false),
  );

  test('case, markers, depth, and what is deleted', async () => {
    const filter = await build({
      exclude: ['A.TXT'],
      'ignore-case': true,
      'exclude-if-present': ['.no', '.skip'],
      'max-depth': 3,
      'delete-excluded': true,
    });
    expect(kept(filter, 'a.txt', 'A.txt', 'b')).toEqual(['b']);
    expect(filter).toMatchObject({
      markerFiles: ['.no', '.skip'],
      maxDepth: 3,
      deleteExcluded: true,
    });
  });

  test('--dump filters', async () => {
    const filter = await build({
      include: ['a/b/*.{jpg,png}', '/x/'],
      exclude: ['tmp/'],
      'min-size': 10,
      'max-size': 1_572_864,
      'max-age': '2d',
      'min-age': '1h',
    });
    expect(filter.describe()).toBe(
      [
        'Last-modified date must be equal or greater than: 2026-11-18 12:00:00.000000000 +0000 UTC',
        'Last-modified date must be equal or less than: 2026-11-20 11:00:00.000000000 +0000 UTC',
        'Minimum size is: 10 B',
        'Maximum size is: 1.500 MiB',
        '--- File filter rules ---',
        String.raw`+ (^|/)a/b/[^/]*\.(jpg|png)$`,
        '- (^|/)tmp/.*$',
        '- ^.*$',
        '--- Directory filter rules ---',
        '+ (^|/)a/b/$',
        '+ (^|/)a/$',
        '+ ^x/$',
        '- (^|/)tmp/.*$',
        '- ^.*$',
      ].join('\n'),
    );
  });
});

describe('mistakes name the flag, the pattern and the reason', () => {
  test.each<[FilterOptions, string]>([
    [{ include: ['a]'] }, `--include: mismatched ']' in glob "a]"`],
    [
      { exclude: ['{{(}}'] },
      '--exclude: bad glob pattern "{{(}}" (regexp "(^|/)(()$"): error parsing regexp: missing closing ): `(^|/)(()$`',
    ],
    [{ exclude: ['{{(?=a)}}'] }, 'invalid or unsupported Perl syntax: `(?=`'],
    [{ filter: ['a'] }, '--filter: malformed rule "a": it must be "+ pattern", "- pattern" or "!"'],
    [{ filter: ['- '] }, '--filter: malformed rule "- "'],
    [{ 'filter-from': ['f'] }, '--filter-from f, line 3: malformed rule "*.jpg"'],
    [{ 'include-from': ['none'] }, '--include-from none: no such file: none'],
    [{ 'files-from': ['none'] }, '--files-from none: no such file: none'],
    [{ 'min-age': '2h', 'max-age': '1h' }, "--min-age can't be larger than --max-age"],
  ])('%o', async (options, message) => {
    await expect(build(options, { f: '# c\n\n*.jpg\n' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('a value that cannot be read', async () => {
    await expect(build({ 'min-age': 'soon' })).rejects.toMatchObject({
      code: 'command-line',
      message: expect.stringContaining('--min-age: not a duration: "soon"'),
    });
  });
});

test.each([
  ['/.no', '.no'],
  ['./.no', '.no'],
  ['.no/', '.no'],
  ['sub/../.no', '.no'],
  ['sub//.no', 'sub/.no'],
])('the marker "%s" is "%s" below each directory', async (given, name) => {
  expect((await build({ 'exclude-if-present': [given] })).markerFiles).toEqual([name]);
});

test.each(['', '.', '/', 'a/..'])('the marker "%s" excludes nothing', async (given) => {
  expect((await build({ 'exclude-if-present': [given] })).passesAll).toBe(true);
});

test('a list of files has the say where a file of patterns to include is empty', async () => {
  const files = { list: 'a\n', empty: '# nothing\n', some: '*.txt\n' };
  const listed = await build({ 'files-from': ['list'], 'include-from': ['empty'] }, files);
  expect(kept(listed, 'a', 'b')).toEqual(['a']);
  await expect(build({ 'files-from': ['list'], 'include-from': ['some'] }, files)).rejects.toThrow(
    'overrides all other filters',
  );
  expect(kept(await build({ 'include-from': ['empty'] }, files), 'a')).toEqual([]);
});

test('--files-from0 takes names as they are, each with a NUL after it', async () => {
  const filter = await build({ 'files-from0': ['l'] }, { l: '/a\0#b\0 c \0\0d\ne\0' });
  expect([...(filter.fileList ?? [])]).toEqual(['a', '#b', ' c ', 'd\ne']);
});

test('--hash-filter keeps directories and asks the other rules, too', async () => {
  const all = await build({ 'hash-filter': '0/1', exclude: ['*.x'] });
  expect([all.passesAll, all.keepDir('d'), ...kept(all, 'a', 'a.x')]).toEqual([false, true, 'a']);
  await expect(build({ 'hash-filter': '1/2', 'files-from': ['l'] }, { l: 'a' })).rejects.toThrow(
    'alone',
  );
  await expect(build({ 'hash-filter': 'half' })).rejects.toThrow('--hash-filter: "half"');
});

test('what explains a filter says what it keeps', async () => {
  const readList = async () => '# comment\n- *.tmp\n\n+ /d/**\n- d\n';
  const options = {
    'filter-from': ['rules'],
    exclude: ['*.bak'],
    'min-size': 2,
    'hash-filter': '1/2',
  };
  const filter = await buildFilter(options, readList, 0);
  for (const path of ['a', 'a.tmp', 'd/x.bak', 'd/e', 'd', 'q/d', 'long/name', 'zz']) {
    for (const size of [1, 2]) {
      const file = { path, size };
      expect(filter.explainFile(file).keeps).toBe(filter.keepFile(file));
    }
    expect(filter.explainDir(path).keeps).toBe(filter.keepDir(path));
  }
  const rules = await buildFilter({ 'filter-from': ['rules'] }, readList, 0);
  expect(rules.explainFile({ path: 'x.tmp', size: 1 })).toEqual({
    keeps: false,
    rule: '- *.tmp',
    from: '--filter-from rules, line 2',
  });
  expect(rules.explainFile({ path: 'd/y', size: 1 }).from).toBe('--filter-from rules, line 4');
  expect(rules.explainDir('q')).toEqual({ keeps: true });
});
