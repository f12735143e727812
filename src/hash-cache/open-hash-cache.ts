import type { Remote } from '../core/remote.ts';
import { HashCache, type HashCacheOptions } from './hash-cache.ts';
import { type CacheUse, hashObserver } from './hash-observer.ts';

/** Adds the cache of hashes of a run to its remotes; opened when the first hash is known. */
export function openHashCache(options: HashCacheOptions, how: Omit<CacheUse, 'clock' | 'open'>) {
  let cache: HashCache | undefined;
  const open = () => {
    cache ??= new HashCache(options);
    return cache;
  };
  return {
    observe: (remote: Remote) => hashObserver(remote, { ...how, clock: options.clock, open }),
    /** Writes what was learned, after the remotes are closed. */
    close: async () => cache?.close(),
  };
}
