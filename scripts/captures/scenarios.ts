import { CONFIG_SCENARIOS } from './config-scenarios.ts';
import { NCDU_SCENARIOS } from './ncdu-scenarios.ts';
import { RUN_SCENARIOS } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Every capture of the docs. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'home',
    command: 'syncer',
    reach: (terminal) => terminal.waitFor('New remote'),
  },
  {
    name: 'home-actions',
    command: 'syncer',
    async reach(terminal) {
      await terminal.waitFor('New remote');
      await terminal.keys('Enter');
      await terminal.waitFor('Browse');
      await terminal.keys('s');
      await terminal.waitFor('makes the destination identical');
      await terminal.type('backup:photos');
      await terminal.waitFor('sync photos: backup:photos');
    },
  },
  ...CONFIG_SCENARIOS,
  ...NCDU_SCENARIOS,
  ...RUN_SCENARIOS,
];
