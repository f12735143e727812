import type { Case } from './case.ts';
import type { Dice } from './dice.ts';

const GLOBS = [
  ...['a', '*.txt', '/a', '/d/**', 'd/**', '/d/', 'sub/', '*b', 'a*', '/a/b', '*.{txt,jpg}', '?'],
  ...['[ab]', '[^a]*', '/d/*', 'e/*', '**/b', 'd/sub/**', '/*', '*', 'deep/*', 'keep', 'D*', 'd'],
];
const DATES = ['2001-09-09', '2010-01-01', '2018-06-01', '2022-01-01', '2030-01-01'];
const SIZES = ['0B', '1B', '10B', '11B', '100B', '1000B', '4096B'];

/** Flags that leave files out. */
export function filterFlags(dice: Dice): string[] {
  const globs = () => Array.from({ length: 1 + dice.below(3) }, () => dice.pick(GLOBS));
  const flags: string[] = [];
  switch (dice.below(8)) {
    case 0:
    case 1:
      flags.push(...globs().map((glob) => `--include=${glob}`));
      break;
    case 2:
    case 3:
      flags.push(...globs().map((glob) => `--exclude=${glob}`));
      break;
    case 4:
    case 5:
      flags.push(...globs().map((glob) => `--filter=${dice.pick(['+', '-', '-'])} ${glob}`));
      if (dice.chance(30)) flags.push('--filter=- *');
      break;
    case 6:
      flags.push('--exclude-if-present=keep');
      break;
  }
  if (dice.chance(15)) flags.push(`--min-size=${dice.pick(SIZES)}`);
  if (dice.chance(15)) flags.push(`--max-size=${dice.pick(SIZES)}`);
  if (dice.chance(25)) flags.push(`--${dice.pick(['min', 'max'])}-age=${dice.pick(DATES)}`);
  if (dice.chance(10)) flags.push(`--max-depth=${1 + dice.below(3)}`);
  if (flags.length > 0 && dice.chance(15)) flags.push('--ignore-case');
  return flags;
}

/** Flags of copy, sync and move that decide what is done. */
export function syncFlags(dice: Dice, { command, to }: Case): string[] {
  const flags: string[] = [];
  const maybe = (percent: number, ...words: readonly string[]) => {
    if (dice.chance(percent)) flags.push(dice.pick(words));
  };
  maybe(30, '--checksum', '--size-only', '--ignore-times', '--update', '--update', '--checksum');
  maybe(
    24,
    ...['--ignore-existing', '--existing', '--immutable', '--immutable', '--no-update-modtime'],
  );
  maybe(5, '--modify-window=1s', '--modify-window=3s');
  maybe(10, '--create-empty-src-dirs');
  maybe(5, '--no-traverse');
  maybe(3, '--no-unicode-normalization');
  const reference = dice.below(100);
  if (reference < 15) {
    flags.push('--backup-dir={c}');
    maybe(40, '--suffix=.bak');
    if (flags.includes('--suffix=.bak')) maybe(60, '--suffix-keep-extension');
  } else if (reference < 20)
    flags.push('--suffix=.bak', ...(dice.chance(60) ? ['--suffix-keep-extension'] : []));
  else if (reference < 26) {
    // What must not change and is elsewhere is no error in rclone, and no change.
    if (!flags.includes('--immutable')) flags.push('--compare-dest={c}');
  } else if (reference < 32 && to !== 'local') flags.push('--copy-dest={c}');
  if (command === 'sync') {
    maybe(30, '--delete-before', '--delete-during', '--delete-after');
    maybe(12, '--max-delete=0', '--max-delete=1', '--max-delete=2', '--max-delete=100');
    maybe(8, '--delete-excluded');
    maybe(4, '--ignore-errors');
    // A file that may have been renamed is not looked for in other places.
    const isFree = !flags.some((flag) => /^--(delete-before|co.*-dest)/.test(flag));
    if (isFree) maybe(18, '--track-renames');
  }
  if (command === 'move') maybe(35, '--delete-empty-src-dirs');
  return flags;
}

/** Flags that change how things are done, and nothing of what is done. */
export function waysFlags(dice: Dice, { from, to }: Case): string[] {
  const flags: string[] = [];
  const maybe = (percent: number, ...words: readonly string[]) => {
    if (dice.chance(percent)) flags.push(dice.pick(words));
  };
  maybe(15, '--transfers=1', '--transfers=3');
  maybe(15, '--checkers=1', '--checkers=2');
  maybe(10, '--fast-list');
  maybe(10, '--check-first');
  maybe(
    8,
    '--order-by=size,desc',
    '--order-by=name',
    '--order-by=modtime',
    '--order-by=size,mixed',
  );
  maybe(6, '--max-backlog=1');
  maybe(15, '--multi-thread-cutoff=0', '--multi-thread-cutoff=100B', '--multi-thread-cutoff=1000B');
  maybe(8, '--multi-thread-streams=2', '--multi-thread-streams=3');
  maybe(6, '--no-index');
  maybe(5, '-vv', '--dump=headers', '--dump=headers,requests');
  maybe(4, '--disable=Copy', '--disable=Move', '--disable=Copy,Move', '--disable=DirMove');
  if (from === 's3' || to === 's3') {
    maybe(30, '--s3-list-chunk=1', '--s3-list-chunk=2', '--s3-list-chunk=3');
    maybe(20, '--s3-upload-cutoff=0', '--s3-upload-cutoff=100B');
    maybe(6, '--s3-no-head');
    maybe(4, '--s3-list-version=1');
  }
  if (from === 'drive' || to === 'drive') {
    // Not 1: the lie `folder-uncounted` is about pages of one item, the look before a directory is deleted.
    maybe(20, '--onedrive-list-chunk=2', '--onedrive-list-chunk=3');
    maybe(20, '--onedrive-chunk-size=320Ki');
    maybe(6, '--onedrive-no-versions');
  }
  return flags;
}
