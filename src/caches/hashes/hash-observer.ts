import type { Observer, Overrides } from '../../core/around.ts';
import type { Hashes, HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { wholePath } from '../../core/remote-path.ts';
import type { CacheOptions } from '../../state/cache-access.ts';
import { realPath } from '../../system/fs-path.ts';
import { DISK_STORE, HashCache } from './hash-cache.ts';
import { type ContentVersion, type HashRecord, isBelieved, isSameVersion } from './hash-record.ts';

/** How a run uses the cache. */
export interface CacheUse {
  readonly cache: HashCache;
  readonly runId: string;
  /** Cached hashes stand for a reading of the file (`--use-hash-cache`); otherwise the cache only learns. */
  readonly believes: boolean;
}

/** Adds the cache of hashes of a run to its remotes; opened when the first hash is known. */
export function openHashCache(options: CacheOptions, how: Omit<CacheUse, 'cache'>) {
  const cache = new HashCache(options);
  return {
    async observe(remote: Remote) {
      const observer = hashObserver(remote, { ...how, cache });
      if (observer !== undefined && how.believes) await cache.opened();
      return observer;
    },
    /** Writes what was learned, after the remotes are closed. */
    close: () => cache.close(),
  };
}

/** Where the cache keeps the files of a remote; `undefined` if it cannot identify them. */
export function cacheStoreOf({ storeId, traits }: Remote): string | undefined {
  return storeId ?? (traits.onDisk && traits.inProcess !== true ? DISK_STORE : undefined);
}

/** The path of a file below the root of its server or disk; on a disk whatever symbolic links lead to the remote. */
export function cachePath(remote: Remote, path: string): string {
  if (!remote.traits.onDisk) return wholePath(remote.root, path);
  let real = realRoots.get(remote);
  if (real === undefined) {
    real = realPath(remote.root);
    realRoots.set(remote, real);
  }
  return wholePath(real, path);
}

const realRoots = new WeakMap<Remote, string>();

/**
 * The version of a listed file as it is now, or was when it was read; `undefined` if it has changed, or nothing
 * distinguishes it from others.
 */
export function currentVersion(
  { can }: Remote,
  file: FileEntry,
  when?: 'now' | 'read',
): ContentVersion | undefined {
  const { size, modTime, contentTag, etag } = file;
  if (can.stamp === undefined) {
    const tag = contentTag ?? etag ?? '';
    return tag === '' ? undefined : { size, modTime: 0n, tag, changedAt: 0n };
  }
  const stamp = can.stamp(file, when);
  if (stamp === undefined) return undefined;
  const { tag, changedAt } = stamp;
  if (changedAt === undefined) return { size, modTime: 0n, tag, changedAt: 0n };
  return modTime === undefined ? undefined : { size, modTime, tag, changedAt };
}

/** Recorded hashes of a version of a file. */
interface KnownHashes {
  readonly hashes: Hashes;
  /** They may stand for a reading. */
  readonly isBelieved: boolean;
}

/** Records the hashes of a remote's files; `undefined` if the cache has no place for them. */
export function hashObserver(
  remote: Remote,
  { cache, runId, believes }: CacheUse,
): Observer | undefined {
  const storeId = cacheStoreOf(remote);
  if (storeId === undefined) return undefined;
  const { can, traits } = remote;
  /** What the names of its files begin with in the cache. */
  const prefix = cachePath(remote, 'x').slice(0, -1);
  const hashed = (file: FileEntry, hashes: Hashes, sinceMs: number) => {
    const version = currentVersion(remote, file, 'read');
    if (version === undefined || Object.keys(hashes).length === 0) return;
    const { size, modTime, tag, changedAt } = version;
    const name = prefix + file.path;
    cache.learn(storeId, { name, size, modTime, tag, changedAt, hashes, readMs: sinceMs, runId });
  };
  /** What the cache has of files, if it may be used. */
  const recorded = (files: readonly FileEntry[]): readonly (HashRecord | undefined)[] =>
    believes
      ? cache.findAll(
          storeId,
          files.map(({ path }) => prefix + path),
        )
      : [];
  /** What the cache has of the file as it is, if it may be used. */
  const knownBy = (file: FileEntry, record: HashRecord | undefined): KnownHashes | undefined => {
    const version = record && currentVersion(remote, file);
    if (!(version && isSameVersion(record, version))) return undefined;
    return { hashes: record.hashes, isBelieved: isBelieved(record, version) };
  };
  /** Hashes from the cache, or computed with one that the cache has, too. */
  const hashesOf = async (
    file: FileEntry,
    names: readonly HashName[],
    op: Op,
    compute: (also: HashName | undefined) => Promise<Hashes>,
  ): Promise<Hashes> => {
    const known = knownBy(file, recorded([file])[0]);
    if (hasAll(known, names)) return taken(file, known, op);
    const sinceMs = cache.clock.now();
    const found = await compute(shared(known, names, traits.hashes));
    hashed(file, found, sinceMs);
    return found;
  };
  const hashing: Overrides = {
    hash: (hash) => async (file, name, op) => {
      const found = await hashesOf(file, [name], op, async (also) =>
        also === undefined || can.hashes === undefined
          ? withValue(name, await hash(file, name, op))
          : can.hashes(file, [name, also], op),
      );
      return found[name];
    },
    hashes: (hashes) => (file, names, op) =>
      hashesOf(file, names, op, (also) =>
        hashes(file, also === undefined ? names : [...names, also], op),
      ),
    // What is to be computed together with a recorded hash is left to `hash`.
    hashMany: (hashMany) => async (files, name, op) => {
      const all = files.map((): string | undefined => undefined);
      const unknown: number[] = [];
      const records = recorded(files);
      for (let at = 0; at < files.length; at++) {
        const file = files[at] as FileEntry;
        const known = knownBy(file, records[at]);
        if (hasAll(known, [name])) all[at] = taken(file, known, op)[name];
        else if (shared(known, [name], traits.hashes) === undefined) unknown.push(at);
      }
      const sinceMs = cache.clock.now();
      const asked = unknown.map((at) => files[at] as FileEntry);
      const found = await hashMany(asked, name, op);
      for (let at = 0; at < asked.length; at++) {
        const value = found[at];
        if (value === undefined) continue;
        hashed(asked[at] as FileEntry, withValue(name, value), sinceMs);
        all[unknown[at] as number] = value;
      }
      return all;
    },
  };
  return {
    writes: ['write'],
    // Elsewhere a hash comes from the server, and the content is not read.
    overrides: traits.slowHash ? hashing : {},
    wrote(file, { sinceMs }) {
      if (file.hashes !== undefined && file.isRewritten !== true)
        hashed(file, file.hashes, sinceMs);
    },
    hashed,
  };
}

function withValue(name: HashName, value: string | undefined): Hashes {
  return value === undefined ? {} : { [name]: value };
}

function hasAll(known: KnownHashes | undefined, names: readonly HashName[]): known is KnownHashes {
  return known?.isBelieved === true && names.every((name) => known.hashes[name] !== undefined);
}

/** Hashes from the cache, for which nothing is read. */
function taken({ size }: FileEntry, { hashes }: KnownHashes, op: Op): Hashes {
  op.onHashed?.(Math.max(0, size));
  return hashes;
}

/** A recorded hash to compute besides, if none is anyway: what is found comes into the same record then. */
function shared(
  known: KnownHashes | undefined,
  names: readonly HashName[],
  possible: readonly HashName[],
): HashName | undefined {
  if (known === undefined || names.some((name) => known.hashes[name] !== undefined))
    return undefined;
  return possible.find((name) => known.hashes[name] !== undefined);
}
