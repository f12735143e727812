import { copiedMetadata, modTimeIn } from '../core/entry-details.ts';
import { hasCode } from '../core/errors.ts';
import { formatRfc3339Nano, type ModTime } from '../core/mod-time.ts';
import { compareNames } from '../core/name-order.ts';
import type { DirEntry, Remote } from '../core/remote.ts';
import { dirsAbove, parentPath } from '../core/remote-path.ts';
import type { DirPair } from './action.ts';
import type { FileWork } from './file-work.ts';
import { perform } from './perform.ts';
import type { Run } from './run.ts';
import { createTaskPool } from './task-pool.ts';
import { hasBuckets } from './without-bucket.ts';

/**
 * Creates the directories that only the source has (`--create-empty-src-dirs`). Errors are counted.
 *
 * @param takes whether one that failed is taken over: it may be blocked by something that will be deleted
 */
export async function makeMissingDirs(
  run: Run,
  dest: Remote,
  dirs: readonly DirPair[],
  takes: (pair: DirPair, path: string, error: unknown) => boolean = () => false,
): Promise<void> {
  if (!dest.traits.emptyDirs) return;
  for (const pair of dirs) {
    const { source, dest: existing } = pair;
    if (source === undefined || existing !== undefined) continue;
    const { path = source.path } = pair;
    try {
      await perform(run, dest, { do: 'make-dir', path });
    } catch (thrown) {
      if (!takes(pair, path, thrown)) run.fail(thrown, path, 'make-directory');
    }
  }
}

/** The directories that do not hold one of the files. */
export function withoutDirsOf(
  files: readonly string[],
  dirs: readonly string[],
): readonly string[] {
  if (files.length === 0) return dirs;
  const holding = new Set(files.flatMap(dirsAbove));
  return dirs.filter((dir) => !holding.has(dir));
}

/** How to delete directories that are empty. */
export interface EmptyDirRules {
  /** Number of directories in parallel, of one depth. */
  readonly width: number;
  /** A directory that is not empty is an error, as in rclone's `rmdirs`, unless `holds` is true; otherwise it stays. */
  readonly mustBeEmpty?: boolean;
  /** Whether a directory has only what no command lists: it stays, and so do those above it. */
  readonly holds?: (dir: string) => Promise<boolean>;
}

/**
 * Deletes those of the directories that are empty, deepest first; none if some of them are buckets that must not go. The
 * root may be one. Errors are counted.
 */
export async function deleteEmptyDirs(
  run: Run,
  remote: Remote,
  dirs: readonly string[],
  rules: EmptyDirRules,
): Promise<void> {
  // `rmdirs` names nothing else, and takes only what is empty.
  const { checkBuckets } = run;
  const asks = rules.mustBeEmpty !== true && checkBuckets !== undefined && hasBuckets(remote);
  const buckets = asks ? dirs.filter((dir) => dir !== '' && !dir.includes('/')) : [];
  const refusal = buckets.length === 0 ? undefined : await checkBuckets?.(buckets, true);
  if (refusal !== undefined) return run.tally.addLast(refusal);
  const pool = createTaskPool(rules.width, rules.width);
  const kept = new Set<string>();
  const holds = async (dir: string) => {
    if (!kept.has(dir) && (await rules.holds?.(dir)) !== true) return false;
    kept.add(parentPath(dir));
    return true;
  };
  const { title } = remote;
  const remove = async (dir: string) => {
    if (run.op.signal.aborted) return;
    try {
      await perform(run, remote, { do: 'remove-dir', path: dir, title });
    } catch (thrown) {
      const isFull = hasCode(thrown, 'not-empty');
      const isPassing = isFull && (rules.mustBeEmpty !== true || (await holds(dir)));
      if (isPassing || hasCode(thrown, 'directory-not-found')) return;
      run.fail(thrown, dir === '' ? title : dir, 'remove-directory');
    }
  };
  const sorted = [...dirs].sort((a, b) => compareNames(b, a));
  const byDepth = Map.groupBy(sorted, (dir) => (dir === '' ? 0 : dir.split('/').length));
  for (const [, level] of [...byDepth].sort(([a], [b]) => b - a)) {
    for (const dir of level) await pool.add(() => remove(dir));
    await pool.idle();
  }
}

interface DirTime {
  /** At the destination. */
  readonly path: string;
  readonly source: DirEntry;
  /** Of the source. */
  readonly modTime: ModTime;
  /** Of the existing directory, for `--dry-run`. */
  readonly size?: number | undefined;
  /** The listing did not have it at the destination. */
  readonly isMissing: boolean;
  isDue: boolean;
}

/**
 * Keeps the modification times of directories, as rclone does since 1.66: those that differ are set, and those that the
 * run changes by what it writes or deletes in a directory are set again, all at the end. The root keeps its own.
 */
export class DirTimes {
  readonly #work: FileWork;
  readonly #isOff: boolean;
  /** By path at the source and at the destination, which differ where names are folded. */
  readonly #times = new Map<string, DirTime>();

  constructor(work: FileWork) {
    this.#work = work;
    const { source, dest, options, ground } = work;
    const keeps = dest.can.setDirModTime !== undefined && source.traits.emptyDirs;
    this.#isOff = !keeps || options.noUpdateDirModTime || ground.windowNs === undefined;
  }

  /** Notes directories of the walk, before their entries. */
  note(pairs: readonly DirPair[]): void {
    if (this.#isOff) return;
    for (const { source, dest, path: target } of pairs) {
      if (source?.modTime === undefined) continue;
      const { modTime } = source;
      const isMissing = dest === undefined;
      const isDue = !isMissing && this.#differs(modTime, dest.modTime);
      const { size } = dest ?? source;
      const path = dest?.path ?? target ?? source.path;
      const known = isMissing ? undefined : size;
      const time = { path, source, modTime, size: known, isMissing, isDue };
      this.#times.set(source.path, time).set(path, time);
    }
  }

  /** Notes that the entries of a directory change; a missing one is created, which changes its parent. */
  touch(dir: string): void {
    const time = this.#times.get(dir);
    if (time === undefined || time.isDue) return;
    // The user may decline the change.
    if (!time.isMissing && this.#work.run.consent.how === 'ask') return;
    time.isDue = true;
    if (time.isMissing) this.touch(parentPath(dir));
  }

  /**
   * Sets the times, deepest directories first. Errors are counted.
   *
   * @param run whose consent is asked
   */
  async set(run: Run): Promise<void> {
    const due = [...new Set(this.#times.values())].filter(({ isDue }) => isDue);
    due.sort((a, b) => compareNames(b.path, a.path));
    const { options, dest } = this.#work;
    const width = dest.traits.onDisk ? 1 : options.checkers;
    const pool = createTaskPool(width, width);
    for (const time of due) await pool.add(() => this.#setOne(run, time));
    await pool.idle();
  }

  async #setOne(run: Run, { path, source, modTime, size = -1 }: DirTime): Promise<void> {
    const { dest, options, source: remote } = this.#work;
    if (run.op.signal.aborted) return;
    const { setDirMetadata } = dest.can;
    const { readDirMetadata } = remote.can;
    const { metadata: keep } = options;
    const setsMetadata =
      keep !== undefined && readDirMetadata !== undefined && setDirMetadata !== undefined;
    try {
      if (!(await run.mayChange({ do: 'set-dir', path, size, setsMetadata }))) return;
      if (setsMetadata) {
        const read = source.metadata ?? (await readDirMetadata(source, run.op));
        // A move has changed the time by now.
        const now = { ...read, mtime: formatRfc3339Nano(modTime) };
        const metadata = await copiedMetadata(source, keep, now);
        await setDirMetadata(path, metadata, modTimeIn(metadata) ?? modTime, run.op);
      } else await dest.can.setDirModTime?.(path, modTime, run.op);
      run.log('info', path, setsMetadata ? 'dir-metadata-set' : 'dir-mod-time-set');
    } catch (thrown) {
      if (hasCode(thrown, 'directory-not-found', 'file-not-found')) return;
      run.fail(thrown, path, setsMetadata ? 'set-dir-metadata' : 'set-dir-mod-time');
    }
  }

  /** As rclone's `DirsEqual`. Times that only differ are no part of what a person chooses. */
  #differs(source: ModTime, dest: ModTime | undefined): boolean {
    const { run, options, ground } = this.#work;
    const { sizeOnly, immutable, ignoreExisting, ignoreTimes, update } = options;
    const { how } = run.consent;
    const isChosen = how !== 'all' && how !== 'pretend';
    if (isChosen || sizeOnly || immutable || ignoreExisting) return false;
    if (dest === undefined || ignoreTimes) return true;
    const { windowNs = 1n } = ground;
    if (update && dest - source >= windowNs) return false;
    return source - dest >= windowNs || dest - source >= windowNs;
  }
}
