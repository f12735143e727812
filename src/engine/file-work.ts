import type { FileEntry, Remote } from '../core/remote.ts';
import { linkedAbort } from '../kit/abort.ts';
import type { CommonGround } from './decide.ts';
import type { ListedRange } from './listed-range.ts';
import type { Pass } from './pass.ts';
import type { TransferLimit } from './passes/limits.ts';
import type { Overlap } from './place/overlap.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';

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
  /** The source is one file. */
  readonly isOne?: true;
  /** What takes part in transfers besides the passes of the engine's own flags. */
  readonly more?: readonly Pass[];
}

/** A plan during an attempt: everything that decides about a pair of files. */
export interface FileWork extends SyncPlan {
  readonly run: Run;
  readonly ground: CommonGround;
  readonly limit: TransferLimit;
  /** Its transfers were decided some time ago: they replace only the file that was seen then. */
  readonly isWaited?: true;
  /** What takes part in a transfer, in the order in which it is asked. */
  readonly passes: readonly Pass[];
}

/** What the passes of a run are made of. */
export type PassGround = Omit<FileWork, 'passes'>;

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

/** What becomes of a file that is transferred: in ranges of names a move only copies. */
export function verbOf({ verb, range }: Pick<FileWork, 'verb' | 'range'>): 'copy' | 'move' {
  return verb === 'move' && range === undefined ? 'move' : 'copy';
}
