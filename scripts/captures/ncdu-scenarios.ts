import type { Scenario } from './scenario.ts';

/** A screen of the browser after these keys. */
function browse(name: string, rows: number, keys: readonly string[], text: string): Scenario {
  return {
    name,
    rows,
    command: 'syncer ncdu photos:',
    async reach({ terminal }) {
      await terminal.waitFor('24 files');
      if (keys.length > 0) await terminal.keys(...keys);
      await terminal.waitFor(text);
    },
  };
}

export const NCDU_SCENARIOS: readonly Scenario[] = [
  browse('ncdu', 14, ['c', 'j', 'v'], '1 marked'),
  browse('ncdu-delete', 10, ['v', 'j', 'v', 'D'], 'Delete 2 directories'),
  browse('ncdu-basket', 10, ['l', 'v', 'h', 'j', 'l', 'v', 'B'], '2 entries'),
  { ...browse('ncdu-small', 12, [], '24 files'), columns: 40 },
];
