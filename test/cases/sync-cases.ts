import type { CommandLineCase } from '../support/command-line-case.ts';
import type { Tree } from '../support/file-tree.ts';
import type { Compared } from '../support/record.ts';

/** The same command line in the same world; only the times of new files written now may differ. */
interface Case extends Compared {
  readonly args: readonly string[];
  readonly source?: Tree;
  readonly dest?: Tree;
}

const source: Tree = {
  'same.txt': 'same',
  'changed.txt': ['new content', 1_500_000_000],
  'older.txt': ['aaaa', 900_000_000],
  'newer.txt': ['bbbb', 1_600_000_000],
  'touched.txt': ['equal content', 1_400_000_000],
  'new.txt': 'new',
  'dir/deep/file.bin': 'deep',
  'dir/name with space': 'x',
  'dir/ünïcode ☃': 'snow',
  'empty/': '',
  zero: '',
  '.hidden': 'h',
};

const dest: Tree = {
  'same.txt': 'same',
  'changed.txt': 'old',
  'older.txt': 'cccc',
  'newer.txt': 'dddd',
  'touched.txt': 'equal content',
  'extra.txt': 'extra',
  'gone/deep/x': 'x',
  'gone/y': 'y',
  'void/': '',
};

const both = { source, dest };

const sums = {
  source: {
    sums: [
      'cc175b9c0f1b6a831c399e269772661  short',
      '0cc175b9c0f1b6a831c399e269772661  same',
      '0CC175B9C0F1B6A831C399E269772661 *star',
      '00000000000000000000000000000000  other',
      'no sum at all',
    ].join('\n'),
  },
  dest: { same: 'a', star: 'a', other: 'a', extra: 'a' },
};

/** Command lines that are tried with both programs, by what they are about. */
const CASES: Readonly<Record<string, Case>> = {
  'copy to nothing': { args: ['copy', 'src', 'dst'], source },
  'copy onto': { args: ['copy', 'src', 'dst'], ...both },
  'sync to nothing': { args: ['sync', 'src', 'dst'], source },
  'sync onto': { args: ['sync', 'src', 'dst'], ...both },
  'sync of an empty source': { args: ['sync', 'src', 'dst'], source: {}, dest },
  'sync of a missing source': { args: ['sync', 'src', 'dst', '--retries', '1'], dest },
  'sync onto itself': { args: ['sync', 'src', 'src'], source },
  'move to nothing': { args: ['move', 'src', 'dst'], source },
  'move onto': { args: ['move', 'src', 'dst'], ...both },
  'move --delete-empty-src-dirs': {
    args: ['move', 'src', 'dst', '--delete-empty-src-dirs'],
    ...both,
  },
  'move of a missing source': { args: ['move', 'src', 'dst', '--retries', '1'], dest },
  'sync --dry-run': { args: ['sync', 'src', 'dst', '--dry-run'], ...both },
  'sync -n': { args: ['sync', 'src', 'dst', '-n'], ...both },
  'move --dry-run': { args: ['move', 'src', 'dst', '--dry-run'], ...both },
  'sync --size-only': { args: ['sync', 'src', 'dst', '--size-only'], ...both },
  'sync --checksum': { args: ['sync', 'src', 'dst', '--checksum'], ...both },
  'sync --ignore-times': { args: ['sync', 'src', 'dst', '-I'], ...both },
  'sync --ignore-size': { args: ['sync', 'src', 'dst', '--ignore-size'], ...both },
  'sync --ignore-existing': { args: ['sync', 'src', 'dst', '--ignore-existing'], ...both },
  'copy --update': { args: ['copy', 'src', 'dst', '--update'], ...both },
  'copy --update --checksum': { args: ['copy', 'src', 'dst', '-u', '-c'], ...both },
  'sync --immutable': { args: ['sync', 'src', 'dst', '--immutable', '--retries', '1'], ...both },
  'copy --immutable to nothing': { args: ['copy', 'src', 'dst', '--immutable'], source },
  'copy --no-traverse': { args: ['copy', 'src', 'dst', '--no-traverse'], ...both },
  'copy --no-check-dest': { args: ['copy', 'src', 'dst', '--no-check-dest'], ...both },
  'copy --no-update-modtime': { args: ['copy', 'src', 'dst', '--no-update-modtime'], ...both },
  'sync --delete-before': { args: ['sync', 'src', 'dst', '--delete-before'], ...both },
  'sync --delete-during': { args: ['sync', 'src', 'dst', '--delete-during'], ...both },
  'sync --max-delete 1': {
    args: ['sync', 'src', 'dst', '--max-delete', '0', '--retries', '1'],
    ...both,
  },
  'sync --track-renames --delete-before': {
    args: ['sync', 'src', 'dst', '--track-renames', '--delete-before'],
    ...both,
  },
  'copy --max-age of exactly its time': {
    args: ['copy', 'src', 'dst', '--max-age', '2017-07-14T02:40:00Z'],
    source: { at: ['a', 1_500_000_000], later: ['l', 1_500_000_001] },
  },
  'copy --min-age of exactly its time': {
    args: ['copy', 'src', 'dst', '--min-age', '2017-07-14T02:40:00Z'],
    source: { at: ['a', 1_500_000_000], later: ['l', 1_500_000_001] },
  },
  'sync --backup-dir': { args: ['sync', 'src', 'dst', '--backup-dir', 'bak'], ...both },
  'sync --backup-dir --suffix': {
    args: ['sync', 'src', 'dst', '--backup-dir', 'bak', '--suffix', '.old'],
    ...both,
  },
  'sync --suffix-keep-extension': {
    args: [
      'sync',
      'src',
      'dst',
      '--backup-dir',
      'bak',
      '--suffix',
      '-1',
      '--suffix-keep-extension',
    ],
    ...both,
  },
  'copy --suffix in place': { args: ['copy', 'src', 'dst', '--suffix', '.bak'], ...both },
  'backup dir inside the destination': {
    args: ['sync', 'src', 'dst', '--backup-dir', 'dst/bak'],
    ...both,
  },
  'sync of overlapping folders': { args: ['sync', 'src', 'src/dir'], source },
  'copy onto itself': { args: ['copy', 'src', 'src'], source },
  'move onto itself': { args: ['move', 'src', 'src'], source },
  'move of a file onto itself': { args: ['move', 'src/zero', 'src'], source },
  'move of overlapping folders': { args: ['move', 'src/dir', 'src'], source },
  'copy of overlapping folders': { args: ['copy', 'src/dir', 'src'], source },
  'copy --create-empty-src-dirs': {
    args: ['copy', 'src', 'dst', '--create-empty-src-dirs'],
    source,
  },
  'copy of a file': { args: ['copy', 'src/same.txt', 'dst'], source },
  'copy of a file onto': { args: ['copy', 'src/changed.txt', 'dst'], ...both },
  'sync of a file': { args: ['sync', 'src/changed.txt', 'dst'], ...both },
  'move of a file': { args: ['move', 'src/changed.txt', 'dst'], ...both },
  'copyto of a file': { args: ['copyto', 'src/changed.txt', 'dst/other.name'], ...both },
  'copyto of a file onto another': {
    args: ['copyto', 'src/changed.txt', 'dst/same.txt'],
    ...both,
  },
  'copyto of a file onto a directory': {
    args: ['copyto', 'src/zero', 'dst/gone', '--retries', '1'],
    ...both,
  },
  'copyto of a file with a filter': {
    args: ['copyto', 'src/zero', 'dst/other.name', '--include', 'zero'],
    ...both,
  },
  'copyto of a file with a filter and a depth': {
    args: ['copyto', 'src/zero', 'dst/other.name', '--min-size', '0', '--max-depth', '1'],
    ...both,
  },
  'copyto of a file with a depth': {
    args: ['copyto', 'src/zero', 'dst/other.name', '--max-depth', '1'],
    ...both,
  },
  'copy of a file with a filter': {
    args: ['copy', 'src/zero', 'dst', '--exclude', 'zero'],
    ...both,
  },
  'moveto of a file with a filter': {
    args: ['moveto', 'src/new.txt', 'dst/other.name', '--max-age', '100y'],
    ...both,
  },
  'moveto of a missing source with a filter': {
    args: ['moveto', 'src/none', 'dst/x', '--exclude', '*.bin', '--retries', '1'],
    ...both,
  },
  'check of a file with a filter': {
    args: ['check', 'src/same.txt', 'dst', '--checksum', '--include', 'same.txt'],
    ...both,
  },
  ...Object.fromEntries(
    [
      ['--max-size', '9'],
      ['--include', '*.txt'],
      ['--include', '/gone/**'],
      ['--exclude', 'void/'],
      ['--exclude-if-present', 'y'],
    ].map((filter): [string, Case] => [
      `delete --rmdirs ${filter.join(' ')}`,
      { args: ['delete', 'dst', '--rmdirs', '--include', '/gone/deep/*', ...filter], dest },
    ]),
  ),
  'copyto of a directory': { args: ['copyto', 'src', 'dst/below'], ...both },
  'copyto onto itself': { args: ['copyto', 'src/zero', 'src/zero'], source },
  'copyto with a slash': { args: ['copyto', 'src/zero', 'dst/x/'], ...both },
  'copyto of a missing source': {
    args: ['copyto', 'src/none', 'dst/x', '--retries', '1'],
    source,
  },
  'moveto of a file': { args: ['moveto', 'src/changed.txt', 'dst/same.txt'], ...both },
  'moveto renames': { args: ['moveto', 'src/zero', 'src/renamed'], source },
  'moveto onto itself': { args: ['moveto', 'src/zero', 'src/zero'], source },
  'moveto of a directory': { args: ['moveto', 'src/dir', 'dst/dir'], ...both },
  'moveto of a missing source': {
    args: ['moveto', 'src/none', 'dst/x', '--retries', '1'],
    ...both,
  },
  'copy to a file': { args: ['copy', 'src', 'dst/same.txt'], ...both },
  'copy --max-age': { args: ['copy', 'src', 'dst', '--max-age', '2016-01-01'], source },
  'copy --min-size': { args: ['copy', 'src', 'dst', '--min-size', '5B'], source },
  'copy --include': { args: ['copy', 'src', 'dst', '--include', '*.txt'], source },
  'sync --exclude': { args: ['sync', 'src', 'dst', '--exclude', '/gone/**'], ...both },
  'sync --exclude --delete-excluded': {
    args: ['sync', 'src', 'dst', '--exclude', '*.txt', '--delete-excluded'],
    ...both,
  },
  'sync --filter': {
    args: ['sync', 'src', 'dst', '--filter', '- /dir/**', '--filter', '+ *.txt', '--filter', '- *'],
    ...both,
  },
  'sync --max-depth': { args: ['sync', 'src', 'dst', '--max-depth', '1'], ...both },
  'copy --error-on-no-transfer': {
    args: ['copy', 'src', 'dst', '--error-on-no-transfer'],
    source: {},
    dest,
  },
  'check --error-on-no-transfer': {
    args: ['check', 'src', 'dst', '--error-on-no-transfer', '--size-only'],
    source: { a: 'a' },
    dest: { a: 'a' },
  },
  'copy --max-transfer': {
    args: ['copy', 'src', 'dst', '--max-transfer', '1B', '--transfers', '1', '--retries', '1'],
    source: { a: '12345' },
    dest: { b: 'b' },
  },
  'sync --track-renames': {
    args: ['sync', 'src', 'dst', '--track-renames'],
    source: { 'new/n': 'moved one' },
    dest: { old: 'moved one' },
  },
  'links are skipped': { args: ['copy', 'src', 'dst'], source: { a: 'a', l: '-> a', d: '-> .' } },
  'links are followed': {
    args: ['copy', 'src', 'dst', '-L'],
    source: { a: 'a', 'x/f': 'f', l: '-> a', d: '-> x' },
  },
  'a dangling link with -L': {
    args: ['copy', 'src', 'dst', '-L', '--retries', '1'],
    source: { a: 'a', l: '-> nowhere' },
  },
  'sync with a dangling link deletes nothing': {
    args: ['sync', 'src', 'dst', '-L', '--retries', '1'],
    source: { a: 'a', l: '-> nowhere' },
    dest: { b: 'b' },
  },
  'links are kept': { args: ['copy', 'src', 'dst', '-l'], source: { a: 'a', l: '-> a' } },
  'a directory where a file shall go': {
    args: ['copy', 'src', 'dst', '--retries', '1'],
    source: { a: 'a' },
    dest: { 'a/x': 'x' },
  },
  'a file where a directory shall go': {
    args: ['copy', 'src', 'dst', '--retries', '1'],
    source: { 'a/x': 'x' },
    dest: { a: 'a', b: 'b' },
    only: 'old',
  },
  'order and check first': {
    args: ['copy', 'src', 'dst', '--order-by', 'size,desc', '--check-first'],
    ...both,
  },
  'bad order': { args: ['copy', 'src', 'dst', '--order-by', 'nonsense'], ...both },
  'check --checksum of equal trees': {
    args: ['check', 'src', 'dst', '--combined', '-', '--checksum', '--checkers', '1'],
    source: { a: 'a' },
    dest: { a: 'a' },
  },
  'check --size-only': { args: ['check', 'src', 'dst', '--size-only'], ...both },
  'check --download --size-only': {
    args: ['check', 'src', 'dst', '--download', '--size-only', '--combined', '-'],
    source: { a: 'xy' },
    dest: { a: 'yx' },
  },
  'check --download --differ': {
    args: ['check', 'src', 'dst', '--download', '--differ', '-', '--one-way'],
    source: { a: 'xy' },
    dest: { a: 'yx', b: '' },
  },
  'check -C': {
    args: ['check', '-C', 'md5', 'src/sums', 'dst', '--combined', '-', '--checkers', '1'],
    ...sums,
  },
  'check --checkfile --one-way': {
    args: ['check', '--checkfile', 'MD5', 'src/sums', 'dst', '--one-way', '--missing-on-src', '-'],
    ...sums,
  },
  'check -C --download --differ': {
    args: ['check', '-C', 'md5', 'src/sums', 'dst', '--download', '--differ', '-'],
    ...sums,
  },
  'check -C of a directory': { args: ['check', '-C', 'md5', 'src', 'dst'], ...sums },
  'check of a missing source': { args: ['check', 'src', 'dst'], dest },
  'copy --update --ignore-times': { args: ['copy', 'src', 'dst', '-u', '-I'], ...both },
  ...Object.fromEntries(
    ['sync', 'move'].map((verb): [string, Case] => [
      `${verb} of a folder onto the one around it, which a filter excludes`,
      { args: [verb, 'src/dir', 'src', '--exclude', '/dir/**'], source, only: 'old' },
    ]),
  ),
  'copy of a file with its backup inside the destination': {
    args: ['copy', 'src/changed.txt', 'dst', '--backup-dir', 'dst/bak'],
    ...both,
  },
  'copyto of a file with its backup beside it': {
    args: ['copyto', 'src/changed.txt', 'dst/same.txt', '--backup-dir', 'dst', '--suffix', '.old'],
    ...both,
  },
  'copy of a file with its backup in its place': {
    args: ['copy', 'src/changed.txt', 'dst', '--backup-dir', 'dst', '--retries', '1'],
    ...both,
  },
  'sync of a file --no-check-dest': {
    args: ['sync', 'src/changed.txt', 'dst', '--no-check-dest'],
    ...both,
  },
  'copyto -n of a file onto a directory': {
    args: ['copyto', 'src/zero', 'dst/gone', '-n', '--retries', '1'],
    ...both,
  },
  'sync --exclude-if-present of a name with a slash before it': {
    args: ['sync', 'src', 'dst', '--exclude-if-present', '/y'],
    ...both,
  },
  'delete --exclude-if-present of no name': {
    args: ['delete', 'dst', '--exclude-if-present', '', '--retries', '1'],
    dest,
    only: 'now',
  },
  'move --files-from --delete-empty-src-dirs': {
    args: ['move', 'src', 'dst', '--files-from', 'src/list', '--delete-empty-src-dirs'],
    source: { list: 'a/b/f\nnone\n', 'a/b/f': 'f', 'a/c/g': 'g', 'e/': '' },
  },
  'sync --files-from an empty --include-from': {
    args: ['sync', 'src', 'dst', '--files-from', 'src/list', '--include-from', 'src/zero'],
    source: { ...source, list: 'same.txt\ndir/deep/file.bin\n' },
    dest,
    only: 'old',
  },
  'sync --files-from of a name longer than any': {
    args: ['sync', 'src', 'dst', '--files-from', 'src/list'],
    source: { ...source, list: `same.txt\n${'n'.repeat(256)}\n` },
    dest,
  },
};

const below = (folder: string, tree: Tree = {}) =>
  Object.entries(tree).map(([path, file]) => [`${folder}/${path}`, file]);

/** The source as the directory `src`, the destination as `dst`. */
export const SYNC_CASES: Readonly<Record<string, CommandLineCase>> = Object.fromEntries(
  Object.entries(CASES).map(([name, { args, source, dest, ...compared }]) => {
    const dirs = { ...(source && { 'src/': '' }), ...(dest && { 'dst/': '' }) };
    const files = Object.fromEntries([...below('src', source), ...below('dst', dest)]);
    return [name, { args, tree: { ...dirs, ...files }, ...compared }];
  }),
);
