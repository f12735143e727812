import type { FileEntry, Remote } from '../core/remote.ts';
import { linkedAbort } from '../kit/abort.ts';
import type { Transfer } from './copy-job.ts';
import type { CommonGround } from './decide.ts';
import type { ListedRange } from './listed-range.ts';
import type { Obstructed } from './obstructed.ts';
import type { OwnBackups } from './own-backups.ts';
import type { Overlap } from './place/overlap.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';
import type { TransferLimit } from './transfer-limit.ts';

/** What a run does with the files of the source. */
export type Verb = 'copy' | 'sync' | 'move';

/** A copy, sync or move of one tree, or one file, onto another. */
export interface SyncPlan {
  readonly verb: Verb;
  readonly source: Remote;
  readonly dest: Remote;
  readonly options: SyncOptions;
  /** Source and destination are one place: files are renamed there (`convmv`). */
  readonly inPlace?: true;
  /** Only these names, in one flat listing of each side. Absent: everything. */
  readonly range?: ListedRange;
  /** How the roots overlap, if that was determined before the run. */
  readonly roots?: Overlap;
}

/** A plan during an attempt: everything that decides about a pair of files. */
export interface FileWork extends SyncPlan {
  readonly run: Run;
  readonly ground: CommonGround;
  readonly limit: TransferLimit;
  /** Backups that could replace other files. */
  readonly ownBackups?: OwnBackups;
  /** The source is one file. */
  readonly isOne?: true;
  /** Whether a side has changed since it was listed, so that a transfer has to wait for the next run. */
  readonly isStale?: (transfer: Transfer) => Promise<boolean>;
  /** Collects transfers blocked by something that will be deleted; absent: they fail. */
  readonly obstructed?: Obstructed<Transfer>;
}

/** A file on both sides. */
export interface BothSides {
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/**
 * The work for the walk and the comparisons: they end also when the user stops the run, which is no error of theirs.
 * Running transfers are not affected.
 */
export function stoppableWork(work: FileWork): FileWork {
  const { run } = work;
  const stopping = run.control?.stopping;
  if (stopping === undefined) return work;
  const { signal } = linkedAbort(run.op.signal, stopping);
  const fail: typeof run.fail = (thrown, path, doing) => {
    if (!signal.aborted) run.fail(thrown, path, doing);
  };
  return { ...work, run: { ...run, op: { signal }, fail } };
}

/** Resolves also if `walk` was ended by the user's stop. */
export async function untilStopped(work: FileWork, walk: Promise<void>): Promise<void> {
  try {
    await walk;
  } catch (thrown) {
    const { op, control } = work.run;
    if (op.signal.aborted || control?.stopping.aborted !== true) throw thrown;
  }
}
