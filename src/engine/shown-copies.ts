import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { listDir, mayBeCopy } from '../core/remote-calls.ts';
import { foldPath, parentPath } from '../core/remote-path.ts';
import type { CopyJob } from './action.ts';
import type { Run } from './run.ts';
import type { CopyOptions } from './sync-option-parts.ts';
import { createTaskPool } from './task-pool.ts';

/** What follows when the destination shows a copy, and if it does not or what follows fails. */
interface AfterCopy {
  /** Such as the deletion of its source. */
  onShown(): Promise<void> | void;
  onFailed(): void;
}

/** A copy that counts when the destination shows it. */
interface AwaitedCopy {
  readonly job: CopyJob;
  /** As it should be. */
  readonly copy: FileEntry;
  readonly after: AfterCopy;
}

/** How many copies wait before the first look; then twice as many, because directories grow. */
const FIRST_LOOK = 10_000;

/**
 * Whether only the program that made a copy says so: the destination is looked at before a move deletes the source, and
 * before `bisync` notes that both sides have the file.
 */
export const isOnWord = ({ traits }: Remote): boolean => traits.carries !== undefined;

/**
 * The copies of a run that another program made. They count at the end, when one listing for each directory of the
 * destination has shown them: only then does a move delete their sources.
 */
export class ShownCopies {
  readonly #run: Run;
  readonly #options: CopyOptions;
  readonly #dest: Remote;
  readonly #width: number;
  readonly #doing: 'move' | 'copy';
  #waiting: AwaitedCopy[] = [];
  #most = FIRST_LOOK;

  /**
   * @param width how many directories are listed, and sources deleted, in parallel
   * @param doing what failed if a copy is not shown
   */
  constructor(run: Run, options: CopyOptions, dest: Remote, width: number, doing: 'move' | 'copy') {
    this.#run = run;
    this.#options = options;
    this.#dest = dest;
    this.#width = width;
    this.#doing = doing;
  }

  /** Calls `after.onShown` when the destination shows the copy. */
  async add(job: CopyJob, written: FileEntry, after: AfterCopy): Promise<void> {
    this.#waiting.push({ job, copy: copyOf(job, written, this.#options), after });
    if (this.#waiting.length < this.#most) return;
    this.#most *= 2;
    await this.settle();
  }

  /** Looks at the destination, and calls `onShown` for all copies that it shows; the others are errors. */
  async settle(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const byDir = Map.groupBy(waiting, ({ job }) => parentPath(job.path));
    const pool = createTaskPool(this.#width, this.#width);
    for (const [dir, copies] of byDir) await pool.add(() => this.#settleDir(dir, copies));
    await pool.idle();
  }

  async #settleDir(dir: string, copies: readonly AwaitedCopy[]): Promise<void> {
    const run = this.#run;
    const dest = this.#dest;
    const { op } = run;
    if (op.signal.aborted) return;
    let listed: ReadonlyMap<string, FileEntry>;
    try {
      listed = await this.#listedOf(dir, copies);
    } catch (thrown) {
      const { code, message, advice } = whyNotListed(thrown);
      // An error counts once: each file gets its own.
      const own = () => new SyncerError(code, message, { path: dir, advice, cause: thrown });
      for (const { job, after } of copies) {
        after.onFailed();
        if (!op.signal.aborted) run.fail(own(), job.file.path, this.#doing);
      }
      return;
    }
    const pool = createTaskPool(this.#width, this.#width);
    for (const { job, copy, after } of copies) {
      await pool.add(async () => {
        if (op.signal.aborted) return;
        try {
          const found = listed.get(foldPath(dest, job.path));
          // A listing may spell a name otherwise, and may lack times.
          const isSure = found !== undefined && !mayBeOld(found, job);
          if (!isSure || !mayBeCopy(found, copy, job.replaces)) await assertShown(run, job, copy);
          await after.onShown();
        } catch (thrown) {
          after.onFailed();
          run.fail(thrown, job.file.path, this.#doing);
        }
      });
    }
    await pool.idle();
  }

  /** The files of a directory at the places of the copies; none for a single copy, which is looked up. */
  async #listedOf(dir: string, copies: readonly AwaitedCopy[]) {
    const dest = this.#dest;
    const listed = new Map<string, FileEntry>();
    if (copies.length < 2) return listed;
    const wanted = new Set(copies.map(({ job }) => foldPath(dest, job.path)));
    for await (const page of listDir(dest, dir, this.#run.op, () => undefined)) {
      for (const entry of page) {
        const place = foldPath(dest, entry.path);
        if (entry.kind === 'file' && wanted.has(place)) listed.set(place, entry);
      }
    }
    return listed;
  }
}

/** A directory that is missing is no path of the user, which the codes of missing paths are for. */
function whyNotListed(thrown: unknown): SyncerError {
  const error = toSyncerError(thrown);
  if (!hasCode(error, 'directory-not-found')) return error;
  return new SyncerError('bad-answer', NOT_SHOWN, { cause: thrown });
}

const NOT_SHOWN =
  'the copy was reported as done, and the destination does not show it; the source stays';

/** Whether only its time shows that a file is not the one that was there before, and it was listed without. */
function mayBeOld(found: FileEntry, { replaces }: CopyJob): boolean {
  return replaces?.size === found.size && found.modTime === undefined;
}

/** The copy as the destination should show it. */
function copyOf(job: CopyJob, written: FileEntry, { ignoreSize }: CopyOptions): FileEntry {
  const { hashes = job.file.hashes, ...file } = written;
  return { ...file, ...(hashes && { hashes }), ...(ignoreSize && { size: -1 }) };
}

/** Rejects with `bad-answer` unless the destination shows a copy. */
export async function proveCopy(run: Run, job: CopyJob, written: FileEntry, options: CopyOptions) {
  if (isOnWord(job.dest)) await assertShown(run, job, copyOf(job, written, options));
}

async function assertShown({ op }: Run, { dest, path, replaces }: CopyJob, copy: FileEntry) {
  if (mayBeCopy(await dest.stat(path, op), copy, replaces)) return;
  throw new SyncerError('bad-answer', `${path}: ${NOT_SHOWN}`, { path });
}
