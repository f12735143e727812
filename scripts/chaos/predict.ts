import type { Case } from './case.ts';
import { predictCheck } from './check-model.ts';
import { LISTINGS, predictListing } from './listing-model.ts';
import { predictSingle } from './single-model.ts';
import { predictStore } from './store-model.ts';
import { predictSync } from './sync-model.ts';
import { SIDES, type World } from './tree.ts';
import { nothingChanges, type Prediction } from './wanted.ts';

/** What the command of a case is to make of what the places hold. */
export function predict(trial: Case, world: World): Prediction {
  if (trial.flags.includes('--dry-run')) return nothingChanges(world, 'any');
  const there = predictAll(trial, world);
  // What the prediction says nothing about is not touched.
  const still = nothingChanges(world, 0);
  const sides = SIDES.flatMap((side) =>
    side in there || there.isOpen ? [] : [[side, still[side]]],
  );
  return { ...Object.fromEntries(sides.filter(([, tree]) => tree !== undefined)), ...there };
}

function predictAll(trial: Case, world: World): Prediction {
  if (['copy', 'sync', 'move'].includes(trial.command)) return predictSync(trial, world);
  if (['copyto', 'moveto'].includes(trial.command)) return predictSingle(trial, world);
  if (trial.command === 'check') return predictCheck(trial, world);
  return LISTINGS.includes(trial.command)
    ? predictListing(trial, world)
    : predictStore(trial, world);
}
