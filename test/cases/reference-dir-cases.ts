import type { CommandLineCase } from '../support/command-line-case.ts';
import type { Tree } from '../support/file-tree.ts';

type Cases = Readonly<Record<string, CommandLineCase>>;

const tree: Tree = {
  'src/same.txt': 'same',
  'src/in-ref': 'reference',
  'src/in-ref2': 'second reference',
  'src/touched': ['equal content', 1_500_000_000],
  'src/changed': ['new content', 1_500_000_000],
  'src/stale': ['version 2', 1_500_000_000],
  'src/new': 'new',
  'src/dir/deep': 'deep',
  'src/dir/deeper': 'deeper',
  'dst/same.txt': 'same',
  'dst/stale': 'version 1',
  'dst/changed': 'old',
  'dst/surplus': 'surplus',
  'ref/in-ref': 'reference',
  'ref/touched': 'equal content',
  'ref/changed': ['nEW content', 1_500_000_000],
  'ref/stale': ['version 2', 1_500_000_000],
  'ref/dir/deep': 'deep',
  'ref/surplus': 'surplus',
  'ref2/in-ref2': 'second reference',
  'ref2/new': ['NEW', 1_400_000_000],
};

const none: Tree = { 'src/a': 'a' };

const COMPARED: Cases = {
  'copy --compare-dest': { args: 'copy src dst --compare-dest ref', tree },
  'sync --compare-dest': { args: 'sync src dst --compare-dest ref', tree },
  'move --compare-dest': { args: 'move src dst --compare-dest ref', tree },
  'two directories': { args: 'copy src dst --compare-dest ref --compare-dest ref2', tree },
  'a comma is part of the name': { args: 'copy src dst --compare-dest ref,ref2', tree },
  'a missing directory': { args: 'copy src dst --compare-dest nowhere', tree },
  'a file': { args: 'copy src dst --compare-dest ref/touched', tree },
  'an unknown remote': { args: 'copy src dst --compare-dest nowhere:x', tree },
  'an empty path': { args: 'copy src dst --compare-dest=', tree, only: 'old' },
  'with --copy-dest': { args: 'copy src dst --compare-dest ref --copy-dest ref2', tree },
  'with --checksum': { args: 'sync src dst --compare-dest ref --checksum', tree },
  'with --size-only': { args: 'sync src dst --compare-dest ref --size-only', tree },
  'with --ignore-times': { args: 'sync src dst --compare-dest ref -I', tree },
  'with --update': { args: 'copy src dst --compare-dest ref -u', tree },
  'with --ignore-existing': { args: 'move src dst --compare-dest ref --ignore-existing', tree },
  'with --immutable': { args: 'copy src dst --compare-dest ref --immutable --retries 1', tree },
  'with --no-check-dest': { args: 'copy src dst --compare-dest ref --no-check-dest', tree },
  'with --no-traverse': { args: 'copy src dst --compare-dest ref --no-traverse', tree },
  'with --dry-run': { args: 'sync src dst --compare-dest ref --dry-run', tree },
  'with --backup-dir': { args: 'sync src dst --compare-dest ref --backup-dir bak', tree },
  'with --track-renames': { args: 'sync src dst --compare-dest ref --track-renames', tree },
  'with --delete-before': { args: 'sync src dst --compare-dest ref --delete-before', tree },
  'with a filter': { args: 'sync src dst --compare-dest ref --exclude in-ref', tree },
  'copy of a file': { args: 'copy src/in-ref dst --compare-dest ref', tree },
  'copyto another name': { args: 'copyto src/in-ref dst/other --compare-dest ref', tree },
  'copyto of another file': { args: 'copyto src/new dst/other --compare-dest ref', tree },
  'moveto of a file': {
    args: 'moveto src/in-ref dst/in-ref --compare-dest ref',
    tree,
    only: 'old',
  },
  'moveto onto a file': { args: 'moveto src/stale dst/stale --compare-dest ref', tree },
  'the source itself': { args: 'copy src dst --compare-dest src', tree, only: 'old' },
  'the destination itself': { args: 'sync src dst --compare-dest dst', tree },
  'below the destination': {
    args: 'sync src dst --compare-dest dst/ref',
    tree: { ...none, 'dst/ref/a': 'a' },
  },
};

const onDisk: Cases = {
  ...COMPARED,
  'a disk has no --copy-dest': { args: 'copy src dst --copy-dest ref --retries 1', tree },
  'nor for a file': { args: 'copyto src/new dst/new --copy-dest ref --retries 1', tree },
};

const inBucket: Cases = {
  'sync --compare-dest': { args: 'sync src BUCKET/dst --compare-dest BUCKET/ref', tree },
  'a --compare-dest on disk': { args: 'sync src BUCKET/dst --compare-dest ref', tree },
  'copy down': { args: 'copy BUCKET/src dst --compare-dest ref', tree },
  'a missing bucket': { args: 'copy src BUCKET/dst --compare-dest s3:nowhere', tree },
  'copy --copy-dest': { args: 'copy src BUCKET/dst --copy-dest BUCKET/ref', tree },
  'sync --copy-dest': { args: 'sync src BUCKET/dst --copy-dest BUCKET/ref', tree },
  'move --copy-dest': { args: 'move src BUCKET/dst --copy-dest BUCKET/ref', tree },
  'two --copy-dest': {
    args: 'copy src BUCKET/dst --copy-dest BUCKET/ref --copy-dest BUCKET/ref2',
    tree,
  },
  'a --copy-dest elsewhere': { args: 'copy src BUCKET/dst --copy-dest ref', tree },
  'a missing --copy-dest': { args: 'copy src BUCKET/dst --copy-dest BUCKET/nowhere', tree },
  'with --checksum': { args: 'sync src BUCKET/dst --copy-dest BUCKET/ref -c', tree },
  'with --size-only': {
    args: 'sync src BUCKET/dst --copy-dest BUCKET/ref --size-only',
    tree,
  },
  'with --update': { args: 'copy src BUCKET/dst --copy-dest BUCKET/ref -u', tree },
  'with --no-check-dest': {
    args: 'copy src BUCKET/dst --copy-dest BUCKET/ref --no-check-dest',
    tree,
  },
  'with --backup-dir': {
    args: 'sync src BUCKET/dst --copy-dest BUCKET/ref --backup-dir BUCKET/bak',
    tree,
  },
  'with --dry-run': { args: 'sync src BUCKET/dst --copy-dest BUCKET/ref -n', tree },
  'copyto of a file': {
    args: 'copyto src/stale BUCKET/dst/stale --copy-dest BUCKET/ref',
    tree,
  },
  'moveto of a new file': {
    args: 'moveto src/in-ref BUCKET/dst/in-ref --copy-dest BUCKET/ref',
    tree,
    only: 'old',
  },
};

const named = (cases: Cases, place: string) =>
  Object.fromEntries(Object.entries(cases).map(([name, each]) => [`${name}${place}`, each]));

export const REFERENCE_DIR_CASES: Cases = { ...named(onDisk, ''), ...named(inBucket, ' on S3') };
