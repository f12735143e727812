import type { CommandLineCase } from '../support/command-line-case.ts';
import type { Tree } from '../support/file-tree.ts';

// Where content goes, side by side with rclone 1.75: each command that makes some disappear, with the flags that count
// it, keep it or only show it. One file goes in most cases: which of several does is up to chance.

const replaced: Tree = { 'src/f': 'newer', 'dst/f': ['older one', 1_400_000_000] };
const extra: Tree = { 'src/f': 'f', 'dst/f': 'f', 'dst/x': 'extra one' };
const moved: Tree = { 'src/f': 'only one', 'dst/g': 'g' };
const there: Tree = { 'src/f': 'both', 'dst/f': 'both' };
const twins: Tree = { 'dst/a': 'twin', 'dst/b': 'twin' };
const one: Tree = { 'dst/f': 'only one' };

/** The commands of which one file disappears, and what they begin with. */
const LINES: Readonly<Record<string, Tree>> = {
  'sync src dst': extra,
  'sync src dst --delete-during': extra,
  'sync src dst --checksum': replaced,
  'copy src dst': replaced,
  'move src dst': moved,
  'move src dst --ignore-times': replaced,
  'move src dst --size-only': there,
  'moveto src/f dst/f': replaced,
  'copy src BUCKET/dst': replaced,
  'sync src BUCKET/dst': extra,
  'move src BUCKET/new': moved,
  'move BUCKET/src new': moved,
  'move BUCKET/src BUCKET/new': moved,
  'move BUCKET/src BUCKET/dst': replaced,
  'delete dst': one,
  'delete BUCKET/dst': one,
  'deletefile dst/f': one,
  'purge dst': one,
  'purge BUCKET/dst': one,
  'dedupe --by-hash first dst': twins,
};

/** Of these the commands of two places only. */
const KEEPS = [
  '--backup-dir BACKUP',
  '--backup-dir BACKUP --dry-run',
  '--backup-dir BACKUP --max-delete 0',
  '--suffix .old',
  '--suffix .old --max-delete 0',
];

const LIMITS = [
  '--dry-run',
  '--max-delete 0',
  '--max-delete 1',
  '--max-delete-size 2B',
  '--max-delete 0 --dry-run',
];

/**
 * Where docs/rclone.md has a reason to differ: a move that may not delete its source does not copy it; a backup in a
 * store is no deletion; `purge` counts in a trial, too.
 */
const DIFFERS: readonly RegExp[] = [
  /^move (src BUCKET\/new|BUCKET\/src (new|BUCKET\/\w+)) .*--max-delete(-size 2B| 0) --retries/,
  /^copy src BUCKET\/dst .*--max-delete 0 --retries/,
  /^purge BUCKET\/dst --max-delete 0 --dry-run/,
];

function* lines(): Generator<readonly [string, CommandLineCase]> {
  for (const [line, tree] of Object.entries(LINES)) {
    const isOfTwo = /^(sync|copy|move)/.test(line);
    const backup = / BUCKET\/\w+$/.test(line) ? 'BUCKET/bak' : 'bak';
    const keepers = KEEPS.map((flags) => flags.replace('BACKUP', backup));
    for (const flags of [...LIMITS, ...(isOfTwo ? keepers : [])]) {
      const args = `${line} ${flags} --retries 1`;
      if (DIFFERS.some((differs) => differs.test(args))) continue;
      yield [args, { args, tree, only: 'now' }];
    }
  }
}

export const LOSS_CASES: Readonly<Record<string, CommandLineCase>> = Object.fromEntries(lines());
