import type { Scenario } from './scenario.ts';

/** A destination that differs from the photos in every way there is. */
const PREPARE = [
  'mkdir -p copies/old/2019 copies/2024/summer',
  'truncate -s 3100000 copies/old/2019/a.jpg',
  'truncate -s 2900000 copies/old/2019/b.jpg',
  'truncate -s 18000 copies/index.html',
  'cp -p photos/2024/summer/beach.jpg copies/2024/summer/beach.jpg',
  'clear',
].join('; ');

const REVIEW = `${PREPARE}; syncer sync photos: copies --review`;

/** The captures of `--progress` and `--review`. */
export const RUN_SCENARIOS: readonly Scenario[] = [
  {
    name: 'progress',
    command: 'syncer copy photos: disk1 -P -v --bwlimit 30M --transfers 4 --no-history',
    rows: 16,
    async reach(terminal) {
      await terminal.waitFor([/ETA \d/, /\u2581|\u2582|\u2583|\u2584|\u2585|\u2586|\u2587/]);
    },
  },
  {
    name: 'progress-keys',
    command: 'syncer copy photos: disk2 -P --bwlimit 30M --transfers 4 --no-history',
    rows: 14,
    async reach(terminal) {
      await terminal.waitFor(/ETA \d/);
      await terminal.keys('p', '?');
      await terminal.waitFor(['paused', 'fg resumes']);
    },
  },
  {
    name: 'progress-small',
    command: 'syncer copy photos: disk3 -P --bwlimit 30M --transfers 4 --no-history',
    columns: 40,
    rows: 12,
    reach: (terminal) => terminal.waitFor(/ETA \d/),
  },
  {
    name: 'review',
    command: REVIEW,
    async reach(terminal) {
      await terminal.waitFor('changes');
      await terminal.waitFor('old/');
    },
  },
  {
    name: 'review-dropped',
    command: REVIEW,
    rows: 12,
    async reach(terminal) {
      await terminal.waitFor('changes');
      await terminal.keys('[', 'Down', 'Down', 'Space');
      await terminal.waitFor('excluded');
    },
  },
];
