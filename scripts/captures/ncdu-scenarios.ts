import type { Scenario } from './scenario.ts';

/** The captures of `syncer ncdu`. */
export const NCDU_SCENARIOS: readonly Scenario[] = [
  {
    name: 'ncdu',
    command: 'syncer ncdu photos:',
    rows: 14,
    async reach({ terminal }) {
      await terminal.waitFor('24 files');
      await terminal.keys('c', 'g', 'j', 'v');
      await terminal.waitFor('1 marked');
    },
  },
  {
    name: 'ncdu-delete',
    command: 'syncer ncdu photos:',
    rows: 10,
    async reach({ terminal }) {
      await terminal.waitFor('24 files');
      await terminal.keys('v', 'j', 'v', 'D');
      await terminal.waitFor('Delete 2 directories');
    },
  },
  {
    name: 'ncdu-basket',
    command: 'syncer ncdu photos:',
    rows: 10,
    async reach({ terminal }) {
      await terminal.waitFor('24 files');
      await terminal.keys('l', 'v', 'h', 'j', 'l', 'v', 'b');
      await terminal.waitFor('2 entries');
    },
  },
  {
    name: 'ncdu-small',
    command: 'syncer ncdu photos:',
    columns: 40,
    rows: 12,
    reach: ({ terminal }) => terminal.waitFor('24 files'),
  },
];
