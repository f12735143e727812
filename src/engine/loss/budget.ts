import { type ErrorCode, hasCode, SyncerError } from '../../core/errors.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';

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

/** A file that is about to be lost. */
export type DoomedFile = Pick<FileEntry, 'path' | 'size' | 'kept'>;

/** Whether what is lost is content of a file; a delete marker and an unfinished upload are none. */
export function isContent({ kept }: DoomedFile): boolean {
  return kept === undefined || kept.kind === 'old' || kept.kind === 'current';
}

/**
 * How many files and bytes a run may still lose (`--max-delete`, `--max-delete-size`). Its attempts share it, as in
 * rclone. Each file counts once: one whose deletion fails no longer does, unless it may be gone; its next attempt is free
 * then. Only content counts.
 */
export class Budget {
  readonly isLimited: boolean;
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

  /** @param bytes as `most` files; -1: no limit */
  constructor(most = -1, bytes = -1) {
    this.isLimited = most >= 0 || bytes >= 0;
    this.#files = most < 0 ? Number.POSITIVE_INFINITY : most;
    this.#bytes = bytes < 0 ? Number.POSITIVE_INFINITY : bytes;
  }

  /**
   * Reserves files; of those that the budget does not allow only the first are in the reservation, or none if no more may
   * be lost. Waits first for reserved ones, which may fail: it is a promise only then.
   */
  reserve<File extends DoomedFile>(
    remote: Remote,
    files: readonly File[],
  ): Reservation<File> | Promise<Reservation<File>> {
    // Each file of a deletion passes here.
    if (!this.isLimited) return new Reservation(files);
    return this.#reserveNow(remote, files) ?? this.#reserveLater(remote, files);
  }

  async #reserveLater<File extends DoomedFile>(
    remote: Remote,
    files: readonly File[],
  ): Promise<Reservation<File>> {
    for (;;) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const held = this.#reserveNow(remote, files);
      if (held !== undefined) return held;
    }
  }

  /** `undefined` while reserved files could still fail. */
  #reserveNow<File extends DoomedFile>(
    remote: Remote,
    files: readonly File[],
  ): Reservation<File> | undefined {
    const taken: File[] = [];
    for (const file of files) {
      if (!this.#takes(remote, file)) break;
      taken.push(file);
    }
    const isEmpty = taken.length === 0 && files.length > 0;
    if (isEmpty && this.#running > 0) return undefined;
    this.#isOver ||= isEmpty;
    this.#running += taken.length;
    const end: Ending = (file, how, wasRunning) => this.#end(remote, file, how, wasRunning);
    return new Reservation(taken, end);
  }

  /** Whether a tree with this number of files and bytes may go. Without any other loss at the same time. */
  allows(files: number, bytes: number): boolean {
    if (this.#isOver) return false;
    if (files <= this.#files && bytes <= this.#bytes) return true;
    this.#isFull = files > this.#files ? 'files' : 'size';
    return false;
  }

  /** Counts files of a tree as they are lost, one request after another; `allows` has allowed the tree. */
  spend(files: readonly DoomedFile[]): void {
    for (const file of files) {
      if (!isContent(file)) continue;
      this.#files--;
      this.#bytes -= Math.max(0, file.size);
    }
  }

  /** The error of a run that would lose more: exit code 7. */
  error(): SyncerError {
    return tooManyDeletes(this.#isFull === 'size' ? '--max-delete-size' : '--max-delete');
  }

  #end(remote: Remote, ...[file, how, wasRunning]: Parameters<Ending>): void {
    if (how === 'released' && isContent(file)) {
      this.#files++;
      this.#bytes += Math.max(0, file.size);
    }
    if (how === 'in-doubt') this.#inDoubt.add(keyOf(remote, file));
    if (!wasRunning) return;
    this.#running--;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #takes(remote: Remote, file: DoomedFile): boolean {
    if (!isContent(file)) return true;
    if (this.#inDoubt.size > 0 && this.#inDoubt.delete(keyOf(remote, file))) return true;
    if (this.#isOver) return false;
    const bytes = Math.max(0, file.size);
    if (this.#files < 1 || bytes > this.#bytes) {
      this.#isFull = this.#files < 1 ? 'files' : 'size';
      return false;
    }
    this.#files--;
    this.#bytes -= bytes;
    return true;
  }
}

function keyOf({ title }: Remote, { path, kept }: DoomedFile): string {
  return kept === undefined ? `${title}\n${path}` : `${title}\n${path}\n${kept.id}`;
}

/** How the loss of a reserved file has ended. */
type Outcome = 'gone' | 'released' | 'in-doubt';

/** @param wasRunning others have waited for it */
type Ending = (file: DoomedFile, how: Outcome, wasRunning: boolean) => void;

const NOTHING: Set<DoomedFile> = new Set();

/** Files that a budget allows to be lost. What is not settled when it is closed does not count. */
export class Reservation<File extends DoomedFile = DoomedFile> {
  readonly files: readonly File[];
  readonly #open: Set<DoomedFile>;
  readonly #end: Ending | undefined;
  #isRunning = true;

  /** @param end called as the loss of each file ends; absent: they do not count */
  constructor(files: readonly File[], end?: Ending) {
    this.files = files;
    this.#end = end;
    this.#open = end === undefined ? NOTHING : new Set(files);
  }

  /** The file is gone, or counts as if it were. */
  commit(file: DoomedFile): void {
    this.#settle(file, 'gone');
  }

  /** The act that was to destroy the file has failed: it does not count unless it may be gone. */
  failed(file: DoomedFile, error: unknown): void {
    this.#settle(file, hasCode(error, ...IN_DOUBT) ? 'in-doubt' : 'released');
  }

  /** The file is not lost. */
  release(file: DoomedFile): void {
    this.#settle(file, 'released');
  }

  /** Its files count from now on, and no other loss waits for them; they may be released all the same. */
  park(): void {
    for (const file of this.#open) this.#end?.(file, 'gone', true);
    this.#isRunning = false;
  }

  /** Releases what is not settled. */
  close(): void {
    for (const file of this.#open) this.release(file);
  }

  #settle(file: DoomedFile, how: Outcome): void {
    if (this.#open.delete(file)) this.#end?.(file, how, this.#isRunning);
  }
}

/** The error of a run whose deletions would exceed a limit. */
export function tooManyDeletes(flag: '--max-delete' | '--max-delete-size'): SyncerError {
  return new SyncerError('fatal', `${flag} threshold reached`);
}
