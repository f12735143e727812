import type { HomeRemote } from '../../src/run/home-entry.ts';
import { allSaid, putSaid, type RemoteHealth } from '../../src/state/remote-health.ts';
import type { Stores } from '../../src/state/stores.ts';

/** What remotes said when they were asked last, by name. Empty where nothing is kept. Never rejects. */
export async function readHealth(stores: Stores): Promise<ReadonlyMap<string, RemoteHealth>> {
  const said = await stores.look(undefined, allSaid).catch(() => undefined);
  return (said ?? new Map()) as Map<string, RemoteHealth>;
}

/** What a name stands for: other configurations may have the same name. */
export function healthKey({ type, place }: Pick<HomeRemote, 'type' | 'place'>): string {
  return `${type} ${place}`;
}

/** Keeps what a remote said, for the next time. Never rejects: without a home or room on the disk nothing is kept. */
export async function keepHealth(
  stores: Stores,
  remote: HomeRemote,
  health: RemoteHealth,
): Promise<void> {
  const said = { ...health, of: healthKey(remote) };
  await stores.tryState('what the remotes say is not kept', (database) =>
    putSaid(database, remote.name, said),
  );
}
