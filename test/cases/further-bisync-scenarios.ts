import {
  AS_RCLONE,
  allExcept,
  type BisyncScenario,
  CHANGED,
  CHANGES,
  NINE_FILES,
  unchanged,
} from './bisync-scenarios.ts';

const ALL = '--compare size,modtime,checksum';
const GUARDED = ['', 'subdir/', 'subdir/subdirA/', 'subdir-not/', 'subdirX/'].map(
  (dir) => `${dir}RCLONE_TEST`,
);
const CHECK = '測試_check_file';
/** Files that appear while a run copies. */
const NEW = Array.from({ length: 50 }, (_, n) => `new${n}`);

/** Further scenarios of rclone's own tests: what is compared, filters, and changes while a run copies. */
export const FURTHER_BISYNC_SCENARIOS: Readonly<Record<string, BisyncScenario>> = {
  compare_all: {
    files: NINE_FILES,
    steps: `${CHANGES.replace('--resync', `--resync ${ALL}`)}
      bisync ${AS_RCLONE} ${ALL}
      bisync ${AS_RCLONE} ${ALL}`,
    end: {
      codes: [0, 0, 0],
      a: { ...CHANGED, 'file5.conflict1': 'five on 1', 'file5.conflict2': 'five on 2' },
    },
  },
  nomodtime: {
    files: NINE_FILES,
    steps: `${CHANGES.replace('--resync', '--resync --compare size,checksum').replaceAll(' = ', ' == ')}
      bisync ${AS_RCLONE} --compare size,checksum
      bisync ${AS_RCLONE} --compare size,checksum`,
    end: {
      codes: [0, 0, 0],
      a: { ...CHANGED, 'file5.conflict1': 'five on 1', 'file5.conflict2': 'five on 2' },
    },
  },
  equal: {
    files: ['file1', 'file2', 'file3', 'file4'],
    steps: `
      bisync --resync
      b/file1 = on 2
      a/file1 = and on 1
      a/file2 = the same
      a/file2 >
      a/file3 = other times
      b/file3 = other times
      bisync ${AS_RCLONE}
      bisync ${AS_RCLONE}`,
    end: {
      codes: [0, 0, 0],
      a: {
        'file1.conflict1': 'and on 1',
        'file1.conflict2': 'on 2',
        ...{ file2: 'the same', file3: 'other times', file4: 'file4' },
      },
    },
  },
  ignorelistingchecksum: {
    files: ['file1.txt', 'subdir/file20.txt', 'file3.txt'],
    steps: `
      bisync --resync
      bisync --resync --compare size,modtime,checksum --ignore-listing-checksum
      b/file1.txt = changed
      a/subdir/file20.txt = changed too
      bisync --compare size,modtime,checksum --ignore-listing-checksum`,
    end: {
      codes: [0, 0, 0],
      a: { 'file1.txt': 'changed', 'subdir/file20.txt': 'changed too', 'file3.txt': 'file3.txt' },
    },
  },
  rclone_args: {
    files: ['file1', 'file2', 'subdir/file20', 'subdir/file21'],
    steps: `
      bisync --resync
      a/file1 = FILE1
      b/file2 = FILE2
      a/subdir/file20 = longer than before
      b/subdir/file21 = longer than before
      bisync --size-only`,
    end: {
      codes: [0, 0],
      a: {
        ...{ file1: 'FILE1', file2: 'FILE2' },
        ...{ 'subdir/file20': 'longer than before', 'subdir/file21': 'longer than before' },
      },
    },
    rclone: {
      why: 'it sees a change of equal size, does not copy it, and forgets it: the sides stay different',
      codes: [0, 0],
      a: {
        ...{ file1: 'FILE1', file2: 'file2' },
        ...{ 'subdir/file20': 'longer than before', 'subdir/file21': 'longer than before' },
      },
      b: {
        ...{ file1: 'file1', file2: 'FILE2' },
        ...{ 'subdir/file20': 'longer than before', 'subdir/file21': 'longer than before' },
      },
    },
  },
  filtersfile_checks: {
    files: ['fileZ', 'file1', 'file2'],
    steps: `
      bisync --resync
      a/file1 = 1
      bisync --filters-file rules
      bisync
      bisync --filters-file rules --resync
      a/file1 = 2
      bisync --filters-file rules
      rules = - fileY
      a/file1 = 3
      bisync --filters-file rules
      bisync --filters-file rules --resync --dry-run
      bisync --filters-file rules`,
    end: { codes: [0, 0, 0, 0, 0, 0, 0, 0], a: { ...unchanged('fileZ', 'file2'), file1: '3' } },
    rclone: {
      why: 'filters are rules like any others; what they hide now is not taken for deleted',
      codes: [0, 7, 7, 0, 0, 7, 0, 7],
      a: { ...unchanged('fileZ', 'file2'), file1: '3' },
      b: { ...unchanged('fileZ', 'file2'), file1: '2' },
    },
  },
  'check_access_filters, others excluded': {
    files: GUARDED,
    steps: `
      rules = + /subdir/; - /subdir/subdirA/**; + /subdir/**; + /*; - **
      bisync --resync --filters-file rules
      bisync --check-access --filters-file rules
      b/subdir/subdirA/RCLONE_TEST -
      a/subdir-not/RCLONE_TEST -
      a/subdirX/RCLONE_TEST -
      bisync --check-access --filters-file rules
      b/RCLONE_TEST -
      a/subdir/RCLONE_TEST -
      bisync --check-access --filters-file rules`,
    end: {
      codes: [0, 0, 0, 7],
      a: {
        ...unchanged('RCLONE_TEST', 'subdir/subdirA/RCLONE_TEST'),
        ...{ 'subdir-not/': '', 'subdirX/': '' },
      },
      b: {
        ...allExcept(GUARDED, 'subdir/subdirA/RCLONE_TEST', 'RCLONE_TEST'),
        'subdir/subdirA/': '',
      },
    },
  },
  'check_access_filters, others included': {
    files: GUARDED,
    steps: `
      rules = - /subdir/subdirA/**; - /subdir-not/**
      bisync --resync --filters-file rules
      bisync --check-access --filters-file rules
      b/subdir/subdirA/RCLONE_TEST -
      a/subdir-not/RCLONE_TEST -
      bisync --check-access --filters-file rules
      a/subdirX/RCLONE_TEST -
      bisync --check-access --filters-file rules`,
    end: {
      codes: [0, 0, 0, 7],
      a: {
        ...allExcept(GUARDED, 'subdir-not/RCLONE_TEST', 'subdirX/RCLONE_TEST'),
        ...{ 'subdir-not/': '', 'subdirX/': '' },
      },
      b: { ...allExcept(GUARDED, 'subdir/subdirA/RCLONE_TEST'), 'subdir/subdirA/': '' },
    },
  },
  ext_paths: {
    files: [`${CHECK}`, `sub/${CHECK}`, 'filename_contains_ě_.txt'],
    sides: ['測試_Русский_ _ _ě_áñ', 'on 2/測試_Русский_ _ _ě_áñ'],
    steps: `
      bisync --resync
      a/測試_file1p1 = 1
      b/測試_file1p2 = 2
      bisync
      bisync --check-access --check-filename ${CHECK}
      a/${CHECK} -
      bisync --check-access --check-filename ${CHECK}
      bisync --resync
      bisync --check-access --check-filename ${CHECK}`,
    end: {
      codes: [0, 0, 0, 7, 0, 0],
      a: {
        ...unchanged(CHECK, `sub/${CHECK}`, 'filename_contains_ě_.txt'),
        ...{ 測試_file1p1: '1', 測試_file1p2: '2' },
      },
    },
  },
  concurrent: {
    files: ['file1', 'file7'],
    steps: `
      bisync --resync
      b/big1 = *300000
      b/big2 = *300000
      b/file1 = changed before
      bisync --bwlimit 200k --transfers 1
      & a/file7 = changed during
      bisync
      bisync`,
    end: {
      codes: [0, 0, 0, 0],
      a: { big1: '*300000', big2: '*300000', file1: 'changed before', file7: 'changed during' },
    },
  },
  volatile: {
    files: ['file5', 'file6'],
    steps: `
      bisync --resync
      b/big1 = *300000
      b/big2 = *300000
      b/file5 = on 2
      a/file5 = and on 1
      bisync --bwlimit 200k --transfers 1 ${AS_RCLONE}
      ${NEW.map((name, n) => `& ${'ab'[n % 2]}/${name} = ${name}`).join('\n')}
      bisync ${AS_RCLONE}
      bisync ${AS_RCLONE}`,
    end: {
      codes: [0, 0, 0, 0],
      a: {
        ...{ big1: '*300000', big2: '*300000', ...unchanged('file6', ...NEW) },
        ...{ 'file5.conflict1': 'and on 1', 'file5.conflict2': 'on 2' },
      },
    },
  },
};
