import { hash } from 'node:crypto';
import { realpathSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../src/core/context.ts';
import { DamagedDatabase, hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { type AgreedPage, type PairOwner, pairRows } from '../../src/state/pairs.ts';
import type { Stores } from '../../src/state/stores.ts';
import { machineBoot, ownerState, ownMark } from '../../src/system/owner-state.ts';
import { AgreedFiles, type Archive, type DeletedFile } from './two-way/agreed-files.ts';

/** How often a run shows that it still goes on, in milliseconds. */
const SIGN_MS = 60_000;

/** Where the state of bisync is. */
export interface PairPlace {
  readonly stores: Stores;
  /** The directory of `state.db`. */
  readonly dir: string;
  /** Whether it is the state directory of this user. */
  readonly isDefault: boolean;
  /** Where earlier versions had a file for each pair. */
  readonly earlierDir: string;
  /** `--max-lock`, in milliseconds. */
  readonly maxLockMs: number | undefined;
}

/** Identifies a root in every run; on a disk also by its inode: an unmounted disk is not taken for an empty one. */
function rootId(remote: Remote): string {
  const { storeId, root, traits } = remote;
  if (!traits.onDisk) return JSON.stringify([storeId ?? remote.title, root]);
  try {
    const real = realpathSync.native(resolve(root));
    return JSON.stringify(['disk', real, String(statSync(real, { bigint: true }).ino)]);
  } catch {
    return JSON.stringify(['disk', resolve(root), 'missing']);
  }
}

/**
 * Holds the pair for this run. Rejects with `locked` if another run has it; one whose process has ended has not. Errors
 * of the system name the directory.
 */
export async function holdPair(
  { stores, dir, isDefault, earlierDir, maxLockMs }: PairPlace,
  [a, b]: readonly [Remote, Remote],
  { signal, clock }: Context,
) {
  const rootsNow = () => [rootId(a), rootId(b)] as const;
  const roots = rootsNow();
  // The path alone finds the archive; the inode in it then shows whether it is the disk that it was made for.
  const places = roots.map((root) => root.replace(/,"\d+"\]$|,"missing"\]$/, ']'));
  const key = JSON.stringify(places);
  const earlier = resolve(earlierDir, `${hash('sha256', key, 'hex').slice(0, 32)}.jsonl`);
  const inState = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      const error = toSyncerError(thrown);
      const { message, path, cause } = error;
      if (error instanceof DamagedDatabase) {
        const mend = isDefault ? 'run "syncer doctor --fix"' : `move ${path}* away`;
        const advice = `${mend}, then bisync with --resync`;
        throw new SyncerError('config', message, { path, advice, cause });
      }
      if (!hasCode(error, 'config', 'other') || cause === undefined) throw error;
      const text = `cannot keep the state of bisync in "${dir}": ${toSyncerError(cause).message}`;
      const advice =
        'make room there and let it be written, or name another directory with --workdir';
      throw new SyncerError('config', text, { path: dir, advice, cause });
    }
  };
  const rows = await inState(async () => {
    const rows = pairRows(await stores.state(), key, ownMark());
    // A process of an earlier boot of this machine does not run. With `--max-lock` a clock may not be ahead by more either.
    const isFree = ({ mark, seenMs, ...of }: PairOwner) => {
      const state = ownerState(mark, of);
      if (state !== 'elsewhere') return state !== 'alive';
      const longest = maxLockMs && Math.max(maxLockMs, 2 * SIGN_MS);
      return Boolean(longest && Math.abs(clock.now() - seenMs) >= longest);
    };
    const owner = await rows.take({ ...machineBoot(), seenMs: clock.now() }, isFree, signal);
    if (owner === undefined) return rows;
    const { mark, seenMs, ...of } = owner;
    const text = 'another bisync of these two paths is running';
    const advice = 'wait until it has ended';
    if (ownerState(mark, of) === 'alive') throw new SyncerError('locked', text, { advice });
    const seen = new Date(seenMs).toISOString().replace(/\..*/, 'Z');
    throw new SyncerError('locked', `${text} on another machine, which was last seen at ${seen}`, {
      advice: `${advice}; if its machine is gone, run again with --max-lock 2m`,
    });
  });
  const signs = setInterval(() => rows.see(clock.now()).catch(() => {}), SIGN_MS).unref();
  const none: Archive = { roots, endedMs: 0, files: new AgreedFiles(), dirs: new Set() };
  /** The pages in the database; `undefined` if they were not read. */
  let known: ReadonlySet<AgreedPage> | undefined;
  return {
    /**
     * Resolves to the archive, and why there is none but after a first run. Rejects with `fatal` if an earlier version has
     * left one, with `config` if it is damaged. `forgets`: without files and directories (`--resync`).
     */
    read: (forgets: boolean) =>
      inState(async (): Promise<{ readonly archive: Archive; readonly problem?: string }> => {
        const { mtimeMs } = statSync(earlier, { throwIfNoEntry: false }) ?? {};
        if (mtimeMs !== undefined && !forgets) {
          const advice = 'run bisync with --resync, which deletes it';
          const text = `earlier state of bisync found in ${earlier}`;
          throw new SyncerError('fatal', text, { path: earlier, advice });
        }
        const end = await rows.end();
        if (end === undefined) return { archive: { ...none, endedMs: mtimeMs ?? 0 } };
        if (end.roots === undefined && !forgets) {
          const text = 'what both sides had after the last run is not known: the state was damaged';
          const advice = 'run bisync with --resync, which deletes nothing';
          throw new SyncerError('fatal', text, { advice });
        }
        if (end.roots && JSON.stringify(end.roots) !== JSON.stringify(roots)) {
          return { archive: none, problem: 'it belongs to other directories' };
        }
        const { endedMs, deleted } = end;
        const read = deleted && new Map(JSON.parse(deleted) as [string, DeletedFile][]);
        const last: Archive = { ...none, endedMs, ...(read && { deleted: read }) };
        if (forgets) return { archive: last };
        const pages = await rows.pages();
        known = new Set(pages);
        const dirs = new Set(pages.map(({ dir }) => dir));
        dirs.delete('');
        return { archive: { ...last, dirs, files: new AgreedFiles(pages) } };
      }),
    /** Replaces the archive at once; gives one that knows its pages. */
    write: (archive: Archive) =>
      inState(async () => {
        const { endedMs, deleted } = archive;
        const pages = archive.files.toPages(archive.dirs);
        const next = new Set<AgreedPage>(pages);
        const before = known;
        const added = pages.filter((page) => before?.has(page) !== true);
        const gone = before && [...before].filter((page) => !next.has(page));
        const text = deleted && JSON.stringify([...deleted]);
        // A root that was missing exists now.
        if (!(await rows.replace({ roots: rootsNow(), endedMs, deleted: text }, gone, added))) {
          throw new SyncerError('locked', 'another bisync of these two paths has begun since');
        }
        known = next;
        // It was forgotten with --resync.
        rmSync(earlier, { force: true });
        return { ...archive, files: new AgreedFiles(pages) };
      }),
    release: () => {
      clearInterval(signs);
      return inState(() => rows.release());
    },
  };
}
