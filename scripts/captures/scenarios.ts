import { CONFIG_SCENARIOS } from './config-scenarios.ts';
import { HOOKS_SCENARIOS } from './hooks-scenarios.ts';
import { NCDU_SCENARIOS } from './ncdu-scenarios.ts';
import { RUN_SCENARIOS } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** All remotes of the home screen have answered. */
const ANSWERED = [/photos +works/, /nas +works/, /office +logged in/];

/** Every picture of one screen. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'home',
    command: 'syncer',
    columns: 110,
    rows: 22,
    reach: ({ terminal }) => terminal.waitFor(ANSWERED),
  },
  {
    name: 'home-actions',
    command: 'syncer',
    rows: 10,
    async reach({ terminal }) {
      await terminal.waitFor(ANSWERED);
      await terminal.keys('1', 'Enter');
      await terminal.waitFor('Browse');
      await terminal.keys('s');
      await terminal.waitFor('makes it identical');
      await terminal.type('nas:copies');
      await terminal.waitFor('sync photos: nas:copies');
    },
  },
  ...CONFIG_SCENARIOS,
  ...NCDU_SCENARIOS,
  ...RUN_SCENARIOS,
  ...HOOKS_SCENARIOS,
];

/** The screens of the overview, row by row. */
export const OVERVIEW: readonly (readonly Scenario[])[] = [
  tour(10, 'progress', 'ncdu'),
  tour(12, 'config-confirm', 'review'),
  tour(9, 'home', 'hooks'),
];

/** Screens as part of the overview. */
function tour(rows: number, ...names: readonly string[]): readonly Scenario[] {
  return names.flatMap((name) =>
    SCENARIOS.filter((one) => one.name === name).map((one) => ({ ...one, columns: 64, rows })),
  );
}
