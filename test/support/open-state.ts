import { join } from 'node:path';
import type { Database } from '../../src/state/database.ts';
import { listedRuns, type RunEntry } from '../../src/state/runs.ts';
import { Stores } from '../../src/state/stores.ts';

/** What tests look at in the state below `home` (`XDG_STATE_HOME`); a state is made if there is none. */
export async function inState<T>(home: string, work: (database: Database) => T): Promise<T> {
  const stores = new Stores({ state: join(home, 'syncer'), cache: undefined }, () => {});
  try {
    return work(await stores.state());
  } finally {
    await stores.close();
  }
}

/** The list of running runs below `home`, also of processes that are gone. */
export function listedIn(home: string): Promise<readonly RunEntry[]> {
  return inState(home, listedRuns);
}
