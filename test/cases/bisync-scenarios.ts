/** What both programs leave: exit codes of the runs, and both sides. */
export interface ScenarioEnd {
  readonly codes: readonly number[];
  readonly a: Readonly<Record<string, string>>;
  /** Absent: as `a`. */
  readonly b?: Readonly<Record<string, string>>;
  /** The directory `old`, if there is one. */
  readonly old?: Readonly<Record<string, string>>;
}

/**
 * Two directories that are alike, and what happens to them, one step a line: `a/f = text` writes a file (`*9` nine
 * letters), `a/f -` deletes one, `a/d/ +` and `a/d/ -` a directory, `a/f >` copies it to the other side with its time,
 * `rules = text` writes the filters, `bisync FLAGS` runs. Each write has a later time than the one before it; with `==`
 * it has the time of the one before. Steps after `&` happen during the run above, when it has begun to copy.
 */
export interface BisyncScenario {
  readonly files: readonly string[];
  /** Names of the two directories; `a` and `b` where absent. */
  readonly sides?: readonly [a: string, b: string];
  readonly steps: string;
  readonly end: ScenarioEnd;
  /** Where rclone 1.75.2 ends otherwise, and why syncer differs. */
  readonly rclone?: ScenarioEnd & { readonly why: string };
}

export const NINE_FILES = Array.from({ length: 9 }, (_, n) => `file${n + 1}`);
export const unchanged = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, name]));
export const allExcept = (names: readonly string[], ...gone: string[]) =>
  unchanged(...names.filter((name) => !gone.includes(name)));
export const AS_RCLONE = '--conflict-resolve none --conflict-loser num';

export const CHANGES = `
  bisync --resync
  b/file10 = new on 2
  b/file1 = newer on 2
  a/file11 = new on 1
  a/file2 = newer on 1
  b/file3 -
  a/file4 -
  a/file8 -
  b/file8 -
  b/file5 = five on 2
  a/file5 = five on 1
  b/file6 = newer on 2
  a/file6 -
  a/file7 = newer on 1
  b/file7 -`;
export const CHANGED = {
  ...{ file1: 'newer on 2', file2: 'newer on 1', file6: 'newer on 2', file7: 'newer on 1' },
  ...{ file9: 'file9', file10: 'new on 2', file11: 'new on 1' },
};

const conflict = (flags: string, end: ScenarioEnd['a'], more: Partial<BisyncScenario> = {}) => ({
  files: ['f.txt', 'other'],
  steps: `
    bisync --resync
    a/f.txt = older and longer
    b/f.txt = newer
    bisync ${flags}
    bisync ${flags}`,
  end: { codes: [0, 0, 0], a: { ...end, other: 'other' } },
  ...more,
});
const RESYNC = 'it overwrites the other version, which syncer keeps';
const LONG = 'older and longer';

/** What rclone's own tests of bisync are about, by their names. */
export const BISYNC_SCENARIOS: Readonly<Record<string, BisyncScenario>> = {
  basic: {
    files: ['file1.txt', 'subdir/file20.txt', 'RCLONE_TEST'],
    steps: `
      bisync --resync
      b/file1.txt = changed
      a/subdir/file20.txt = changed too
      bisync`,
    end: {
      codes: [0, 0],
      a: { 'file1.txt': 'changed', 'subdir/file20.txt': 'changed too', RCLONE_TEST: 'RCLONE_TEST' },
    },
  },
  changes: {
    files: NINE_FILES,
    steps: `${CHANGES}
      bisync ${AS_RCLONE}
      bisync ${AS_RCLONE}`,
    end: {
      codes: [0, 0, 0],
      a: { ...CHANGED, 'file5.conflict1': 'five on 1', 'file5.conflict2': 'five on 2' },
    },
  },
  dry_run: {
    files: NINE_FILES,
    steps: `${CHANGES}
      bisync ${AS_RCLONE} --dry-run
      bisync ${AS_RCLONE}`,
    end: {
      codes: [0, 0, 0],
      a: { ...CHANGED, 'file5.conflict1': 'five on 1', 'file5.conflict2': 'five on 2' },
    },
  },
  backupdir: {
    files: NINE_FILES,
    steps: `${CHANGES}
      bisync ${AS_RCLONE} --backup-dir1 old/1 --backup-dir2 old/2`,
    end: {
      codes: [0, 0],
      a: { ...CHANGED, 'file5.conflict1': 'five on 1', 'file5.conflict2': 'five on 2' },
      old: { '1/file1': 'file1', '1/file3': 'file3', '2/file2': 'file2', '2/file4': 'file4' },
    },
  },
  check_access: {
    files: ['RCLONE_TEST', 'subdir/RCLONE_TEST', 'file1'],
    steps: `
      bisync --resync
      bisync --check-access
      b/subdir/RCLONE_TEST -
      bisync --check-access
      b/subdir/RCLONE_TEST = subdir/RCLONE_TEST
      bisync --resync
      bisync --check-access
      a/RCLONE_TEST -
      bisync --check-access`,
    end: {
      codes: [0, 0, 7, 0, 0, 7],
      a: unchanged('subdir/RCLONE_TEST', 'file1'),
      b: unchanged('RCLONE_TEST', 'subdir/RCLONE_TEST', 'file1'),
    },
  },
  check_filename: {
    files: ['.chk_file', 'subdir/.chk_file'],
    steps: `
      bisync --resync
      bisync --check-access --check-filename .chk_file
      a/.chk_file -
      bisync --check-access --check-filename .chk_file`,
    end: {
      codes: [0, 0, 7],
      a: unchanged('subdir/.chk_file'),
      b: unchanged('.chk_file', 'subdir/.chk_file'),
    },
  },
  check_sync: {
    files: ['file1', 'file2'],
    steps: `
      bisync --resync
      bisync --check-sync only
      b/file2 -
      bisync --check-sync only`,
    end: { codes: [0, 0, 1], a: unchanged('file1', 'file2'), b: unchanged('file1') },
    rclone: {
      why: 'it compares only what it has noted of both sides, and not the sides',
      ...{ codes: [0, 0, 0], a: unchanged('file1', 'file2'), b: unchanged('file1') },
    },
  },
  all_changed: {
    files: ['file1', 'file2', 'd/file3'],
    steps: `
      bisync --resync
      a/file1 = 1
      a/file2 = 2
      a/d/file3 = 3
      bisync
      bisync --force`,
    end: { codes: [0, 0, 0], a: { file1: '1', file2: '2', 'd/file3': '3' } },
    rclone: {
      why: 'a directory of few files is changed as a whole every day; syncer asks from ten files on',
      ...{ codes: [0, 1, 0], a: { file1: '1', file2: '2', 'd/file3': '3' } },
    },
  },
  max_delete_path1: {
    files: NINE_FILES,
    steps: `
      bisync --resync
      a/file1 -
      a/file2 -
      a/file3 -
      a/file4 -
      a/file5 -
      bisync
      bisync --max-delete=60`,
    end: {
      codes: [0, 1, 0],
      a: allExcept(NINE_FILES, 'file1', 'file2', 'file3', 'file4', 'file5'),
    },
  },
  max_delete_path2_force: {
    files: NINE_FILES,
    steps: `
      bisync --resync
      b/file1 -
      b/file2 -
      b/file3 -
      b/file4 -
      b/file5 -
      bisync
      bisync --force`,
    end: {
      codes: [0, 1, 0],
      a: allExcept(NINE_FILES, 'file1', 'file2', 'file3', 'file4', 'file5'),
    },
  },
  createemptysrcdirs: {
    files: ['file1'],
    steps: `
      bisync --resync
      a/subdir/ +
      bisync
      bisync --create-empty-src-dirs`,
    end: { codes: [0, 0, 0], a: { ...unchanged('file1'), 'subdir/': '' } },
  },
  rmdirs: {
    files: ['file1', 'subdir/file20'],
    steps: `
      bisync --resync
      a/subdir/file20 -
      bisync
      bisync --remove-empty-dirs`,
    end: { codes: [0, 0, 0], a: unchanged('file1') },
  },
  extended_filenames: {
    files: ['file1', 'subdir_with_ࢺ_/filename_contains_ě_.txt', 'Русский.txt', 'mañana_funcionará'],
    steps: `
      bisync --resync
      b/New_top_level_mañana_funcionará.txt = 1
      b/mañana_funcionará = 2
      b/Русский.txt = 3
      a/file1 with white  space.txt = 4
      a/subdir_with_ࢺ_/file_with_測試_.txt = 5
      b/sub dir\u0019/file\u0081{ } = 6
      b/subdir_with_ࢺ_/filename_contains_ě_.txt -
      bisync`,
    end: {
      codes: [0, 0],
      a: {
        ...unchanged('file1'),
        'New_top_level_mañana_funcionará.txt': '1',
        mañana_funcionará: '2',
        'Русский.txt': '3',
        'file1 with white  space.txt': '4',
        'subdir_with_ࢺ_/file_with_測試_.txt': '5',
        'sub dir\u0019/file\u0081{ }': '6',
      },
    },
  },
  filters: {
    files: ['fileZ', 'subdir/fileZ', 'subdir/fileY', 'other'],
    steps: `
      bisync --resync --filters-file rules
      b/fileZ = not this one
      a/subdir/fileZ = hidden
      a/subdir/fileY = seen
      bisync --filters-file rules`,
    end: {
      codes: [0, 0],
      a: { ...unchanged('fileZ', 'other'), 'subdir/fileZ': 'hidden', 'subdir/fileY': 'seen' },
      b: { ...unchanged('subdir/fileZ', 'other'), fileZ: 'not this one', 'subdir/fileY': 'seen' },
    },
  },
  normalization: {
    files: ['file1'],
    steps: `
      bisync --resync
      a/\u00e9\u00f6.txt = same
      b/e\u0301o\u0308.txt = same
      bisync --force
      a/\u00e9\u00f6.txt = changed
      bisync --force`,
    end: {
      codes: [0, 0, 0],
      a: { ...unchanged('file1'), '\u00e9\u00f6.txt': 'changed' },
      b: { ...unchanged('file1'), 'e\u0301o\u0308.txt': 'changed' },
    },
  },
  resync: {
    files: ['file1'],
    steps: `
      bisync --resync
      a/file1 -
      b/file2 = 2
      a/file3 = on 1
      b/file3 = newer on 2
      bisync --resync --conflict-loser num`,
    end: {
      codes: [0, 0],
      a: { ...unchanged('file1'), file2: '2', file3: 'on 1', 'file3.conflict1': 'newer on 2' },
    },
    rclone: {
      why: RESYNC,
      ...{ codes: [0, 0], a: { ...unchanged('file1'), file2: '2', file3: 'on 1' } },
    },
  },
  'resync_modes path2': {
    files: ['file1'],
    steps: `
      bisync --resync
      b/file3 = on 2
      a/file3 = newer on 1
      bisync --resync-mode path2 --conflict-loser num`,
    end: {
      codes: [0, 0],
      a: { ...unchanged('file1'), file3: 'on 2', 'file3.conflict1': 'newer on 1' },
    },
    rclone: { why: RESYNC, ...{ codes: [0, 0], a: { ...unchanged('file1'), file3: 'on 2' } } },
  },
  'resync_modes newer': {
    files: ['file1'],
    steps: `
      bisync --resync
      a/file3 = on 1
      b/file3 = newer on 2
      bisync --resync-mode newer --conflict-loser num`,
    end: {
      codes: [0, 0],
      a: { ...unchanged('file1'), file3: 'newer on 2', 'file3.conflict1': 'on 1' },
    },
    rclone: {
      why: RESYNC,
      ...{ codes: [0, 0], a: { ...unchanged('file1'), file3: 'newer on 2' } },
    },
  },
  'resolve none': conflict(AS_RCLONE, { 'f.txt.conflict1': LONG, 'f.txt.conflict2': 'newer' }),
  'resolve newer': conflict('--conflict-resolve newer --conflict-loser num', {
    'f.txt': 'newer',
    'f.txt.conflict1': LONG,
  }),
  'resolve older': conflict('--conflict-resolve older --conflict-loser num', {
    'f.txt': LONG,
    'f.txt.conflict1': 'newer',
  }),
  'resolve larger': conflict('--conflict-resolve larger --conflict-loser pathname', {
    'f.txt': LONG,
    'f.txt.conflict2': 'newer',
  }),
  'resolve smaller': conflict('--conflict-resolve smaller --conflict-loser delete', {
    'f.txt': 'newer',
  }),
  'resolve path1': conflict(
    '--conflict-resolve path1 --conflict-loser num --conflict-suffix mine,theirs',
    {
      'f.txt': LONG,
      'f.txt.theirs1': 'newer',
    },
  ),
  'resolve path2 before the extension': conflict(
    '--conflict-resolve path2 --conflict-loser pathname --suffix-keep-extension',
    { 'f.txt': 'newer', 'f.conflict1.txt': LONG },
  ),
};
