import type { CommandLineCase } from '../support/command-line-case.ts';
import type { Tree } from '../support/file-tree.ts';

const tree: Tree = {
  'src/Read.Me': ['new content', 1_500_000_000],
  'src/SAME': 'same',
  'src/Touched': ['equal', 1_400_000_000],
  'src/new': 'new',
  'src/Dir/FILE': 'file',
  'src/Dir/more': 'more',
  'src/Été/Ж': 'umlauts',
  'dst/README.md': 'another',
  'dst/read.me': 'old',
  'dst/same': 'same',
  'dst/touched': 'equal',
  'dst/dir/file': 'old file',
  'dst/dir/gone': 'gone',
  'dst/éTÉ/ж': 'umlauts',
  'dst/surplus': 'surplus',
  list: 'SAME\nnew\nsurplus\nDir/FILE\n',
};

/** Names of which a disk that does not tell case apart has room for one only. */
export const TWICE: Tree = {
  'src/a': 'small',
  'src/A': 'capital',
  'src/D/x': '1',
  'src/d/x': 'one',
  'src/d/y': '2',
  'dst/c': 'c',
};

const CASES: Readonly<Record<string, Partial<CommandLineCase> & Pick<CommandLineCase, 'args'>>> = {
  copy: { args: 'copy src dst --ignore-case-sync' },
  sync: { args: 'sync src dst --ignore-case-sync' },
  move: { args: 'move src dst --ignore-case-sync', only: 'now' },
  'sync twice over': { args: 'sync dst src --ignore-case-sync' },
  'sync without it': { args: 'sync src dst' },
  'sync --checksum': { args: 'sync src dst --ignore-case-sync --checksum' },
  'sync --size-only': { args: 'sync src dst --ignore-case-sync --size-only' },
  'copy --update': { args: 'copy src dst --ignore-case-sync -u' },
  'sync --dry-run': { args: 'sync src dst --ignore-case-sync -n' },
  'copy --no-traverse': { args: 'copy src dst --ignore-case-sync --no-traverse' },
  'copy --no-check-dest': { args: 'copy src dst --ignore-case-sync --no-check-dest' },
  'sync --delete-before': { args: 'sync src dst --ignore-case-sync --delete-before' },
  'sync --backup-dir': { args: 'sync src dst --ignore-case-sync --backup-dir bak' },
  'sync --suffix': { args: 'sync src dst --ignore-case-sync --suffix .bak' },
  'sync of some': { args: 'sync src dst --ignore-case-sync --include *e*' },
  'sync --no-unicode-normalization': {
    args: 'sync src dst --ignore-case-sync --no-unicode-normalization',
  },
  'sync --files-from': { args: 'sync src dst --ignore-case-sync --files-from list' },
  'copy --create-empty-src-dirs': {
    args: 'copy src dst --ignore-case-sync --create-empty-src-dirs',
    tree: { 'src/Void/': '', 'dst/void/': '' },
  },
  'check --checksum': {
    args: 'check src dst --ignore-case-sync --checksum --checkers 1 --combined -',
  },
  'copy of names that are there twice': { args: 'copy src dst --ignore-case-sync', tree: TWICE },
  'sync of names that are there twice': { args: 'sync src dst --ignore-case-sync', tree: TWICE },
  'move of names that are there twice': { args: 'move src dst --ignore-case-sync', tree: TWICE },
  'sync onto a name that is there twice': {
    args: 'sync src dst --ignore-case-sync',
    tree: { 'src/B': 'new', 'dst/b': 'small', 'dst/B': 'capital' },
    only: 'old',
  },
  'copy to a folding disk': { args: 'copy src DST' },
  'sync to a folding disk': { args: 'sync src DST' },
  'sync from a folding disk': { args: 'sync DST src' },
  'moveto on a folding disk': {
    args: 'moveto DST/surplus DST/SURPLUS',
    tree: { 'dst/surplus': 's' },
  },
  'copyto onto a folding disk': { args: 'copyto src/SAME DST/same' },
  'sync up': { args: 'sync src BUCKET/dst --ignore-case-sync' },
  'move up': { args: 'move src BUCKET/dst --ignore-case-sync' },
  'sync up --backup-dir': {
    args: 'sync src BUCKET/dst --ignore-case-sync --backup-dir BUCKET/bak',
  },
  'sync down': { args: 'sync BUCKET/src dst --ignore-case-sync' },
  'sync down to a folding disk': { args: 'sync BUCKET/src DST' },
  'check up': { args: 'check src BUCKET/dst --ignore-case-sync --checksum --combined -' },
  'sync of a folder onto itself': { args: 'sync DST DST' },
};

export const IGNORE_CASE_CASES: Readonly<Record<string, CommandLineCase>> = Object.fromEntries(
  Object.entries(CASES).map(([name, how]) => [name, { tree, ...how }]),
);
