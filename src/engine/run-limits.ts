import { type ErrorCode, hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';

/** A budget of `most` files and `bytes` bytes (`--max-delete`, `--max-delete-size`); -1: no limit. */
export function deleteBudget(most: number, bytes = -1): DeleteBudget {
  return new DeleteBudget(most, bytes);
}

/** Errors of a deletion after which the file may be gone all the same. */
const IN_DOUBT: readonly ErrorCode[] = [
  'network',
  'body-cut',
  'timed-out',
  'server',
  'bad-answer',
  'other',
  'file-not-found',
];

/** A file that is about to be deleted. */
type Doomed = Pick<FileEntry, 'path' | 'size'>;

/**
 * How many files and bytes may still be deleted. Attempts of one run share it, as in rclone. A deletion takes from it
 * before `--dry-run` or a person is asked, and so does a move into a backup; what a transfer replaces does not. Each
 * file takes from it once: a failed deletion gives that back, unless the file may be gone; its next attempt is free
 * then.
 */
export class DeleteBudget {
  #files: number;
  #bytes: number;
  #isFull: 'files' | 'size' = 'files';
  /** Nothing goes after a file that was refused, not even a smaller one. */
  #isOver = false;
  /** Reserved files whose deletion has not ended. */
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Files that may be gone, although their deletion failed. */
  readonly #inDoubt = new Set<string>();

  constructor(most: number, bytes: number) {
    this.#files = most < 0 ? Number.POSITIVE_INFINITY : most;
    this.#bytes = bytes < 0 ? Number.POSITIVE_INFINITY : bytes;
  }

  /** Takes files of these sizes in bytes (unknown: -1); returns how many of them, from the first, may be deleted. */
  take(wanted: number, sizes: readonly number[] = []): number {
    for (let taken = 0; taken < wanted; taken++) {
      if (this.#takes(sizes[taken] ?? 0)) continue;
      this.#isOver = true;
      return taken;
    }
    return wanted;
  }

  /**
   * Reserves the deletion of files; resolves to how many of them, from the first, may be deleted now, 0 if no more may
   * be. Waits first for reserved ones, which may fail. Each must be settled.
   */
  async reserve(remote: Remote, files: readonly Doomed[]): Promise<number> {
    for (;;) {
      let taken = 0;
      for (const { path, size } of files) {
        const isTaken = this.#inDoubt.delete(keyOf(remote, path)) || this.#takes(size);
        if (!isTaken) break;
        taken++;
      }
      this.#running += taken;
      if (taken > 0 || files.length === 0) return taken;
      if (this.#running === 0) {
        this.#isOver = true;
        return 0;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The deletion of a reserved file has ended; with `error` it failed. */
  settle(remote: Remote, file: Doomed, error?: unknown): void {
    const isInDoubt = error !== undefined && hasCode(error, ...IN_DOUBT);
    if (isInDoubt) this.#inDoubt.add(keyOf(remote, file.path));
    if (error === undefined || isInDoubt) this.#end();
    else this.giveBack(file);
  }

  /** A reserved file is not deleted. */
  giveBack(file: Doomed): void {
    this.refund(file);
    this.#end();
  }

  /** A file that was settled before its deletion is not deleted. */
  refund({ size }: Doomed): void {
    this.#files++;
    this.#bytes += Math.max(0, size);
  }

  /** Carries out the deletion of a file. Rejects with its error, or if it would exceed the budget. */
  async spend<T>(remote: Remote, file: Doomed, act: () => Promise<T>): Promise<T> {
    if ((await this.reserve(remote, [file])) === 0) throw this.error();
    try {
      const result = await act();
      this.settle(remote, file);
      return result;
    } catch (thrown) {
      this.settle(remote, file, thrown);
      throw thrown;
    }
  }

  /** The error of a run that would delete more: exit code 7. */
  error(): SyncerError {
    return tooManyDeletes(this.#isFull === 'size' ? '--max-delete-size' : '--max-delete');
  }

  #end(): void {
    this.#running--;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #takes(size: number): boolean {
    if (this.#isOver) return false;
    const bytes = Math.max(0, size);
    if (this.#files < 1 || bytes > this.#bytes) {
      this.#isFull = this.#files < 1 ? 'files' : 'size';
      return false;
    }
    this.#files--;
    this.#bytes -= bytes;
    return true;
  }
}

function keyOf({ title }: Remote, path: string): string {
  return `${title}\n${path}`;
}

/** The error of a run whose deletions would exceed a limit. */
export function tooManyDeletes(flag: '--max-delete' | '--max-delete-size'): SyncerError {
  return new SyncerError('fatal', `${flag} threshold reached`);
}

/** Files up to this size, in bytes, are transferred many at a time. */
export const SMALL_TRANSFER = 128 * 1024;

/** What all processes of a run have copied together, for `--max-transfer`. */
export interface SharedTransfer {
  /** Whether a file of this size, in bytes, may be copied; `true` counts it as started. */
  take(bytes: number): Promise<boolean>;
  /** A started file of more than `SMALL_TRANSFER` bytes is copied. */
  through(bytes: number): void;
  /** Of a started file of unknown size this much is copied. */
  came(bytes: number): void;
}

/** The error of a run that would transfer more than `--max-transfer`: exit code 8. */
export function tooMuch(): SyncerError {
  return new SyncerError('max-transfer', 'max transfer limit reached as set by --max-transfer');
}

/** The error of a run that exceeded `--max-duration`: exit code 10. */
export function tooLong(): SyncerError {
  return new SyncerError('max-duration', 'max transfer duration reached as set by --max-duration');
}
