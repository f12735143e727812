import { test } from 'vitest';
import { DeltaHistory } from '../support/delta-history.ts';
import { ALL, someOf } from '../support/in-part.ts';

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);
const STEPS = ALL ? 10 : 4;

test.each(someOf(SEEDS, 1))(
  'an upload of a randomly edited file to a store that lies leaves the old or the new version (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const history = await DeltaHistory.open(seed);
    try {
      for (let step = 0; step < STEPS; step++) await history.step();
    } finally {
      await history.close();
    }
  },
);
