import { counted } from '../../core/counted.ts';
import type { RunSum } from '../../state/runs.ts';
import type { RunChanges } from './read-run.ts';

/**
 * What is wrong with the journal of a run, in a few words; `undefined` if nothing is. A run without a sum was
 * interrupted: its journal may end anywhere.
 */
export function journalDamage(
  { places, changes, unreadable, misplaced, hasEnded }: RunChanges,
  sum: RunSum | undefined,
): string | undefined {
  if (unreadable > 0) return `${counted(unreadable, 'line')} cannot be read`;
  const missing = changes.reduce((last, { n }) => Math.max(last, n), 0) - changes.length;
  if (missing > 0) return `${counted(missing, 'change')} missing`;
  const unknown = new Set(changes.map(({ place }) => place).filter((place) => !places[place]));
  if (unknown.size > 0) return `${counted(unknown.size, 'place')} missing`;
  if (misplaced > 0) return 'lines are missing, repeated or not in their order';
  return sum === undefined || hasEnded ? undefined : 'it ends early';
}
