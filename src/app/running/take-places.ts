import type { Invocation } from '../command.ts';
import type { ChangedPlaces } from './changed-places.ts';

/**
 * Called before a command changes anything, and after everything that could keep it from starting; a dry run and a plan
 * change nothing. Rejects with `locked` if `--lock` is given and another run changes one of these places.
 */
export async function takePlaces(
  { flags, guard, changes }: Pick<Invocation, 'flags' | 'guard' | 'changes'>,
  places: ChangedPlaces,
): Promise<void> {
  if (!flags['dry-run'] && guard?.plans !== true) await changes(places);
}
