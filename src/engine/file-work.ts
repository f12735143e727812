import { linkedAbort } from '../core/context.ts';
import type { Over } from './action.ts';
import type { Keeper } from './loss/keeper.ts';
import type { AttemptParts, Pass, PassGround, SyncOptions, SyncScope } from './pass.ts';
import type { Overlap } from './place/overlap.ts';
import type { FileRule, Rules } from './rules/rule.ts';
import type { ShownCopies } from './shown-copies.ts';

/** A copy, sync or move of one tree, or one file, onto another. */
export interface SyncRequest extends SyncScope {
  readonly options: SyncOptions;
  /** Source and destination are one place: files are renamed there (`convmv`). */
  readonly inPlace?: true;
  /** How the roots overlap, if that was determined before the run. */
  readonly roots?: Overlap;
  /** What takes part in transfers besides the passes of the engine's own flags. */
  readonly more?: readonly Pass[];
  /** What decides about files after the rules of the engine. */
  readonly moreRules?: readonly FileRule[];
}

/** What the rules of a run are made of. */
export interface RuleGround extends PassGround {
  readonly options: SyncOptions;
  /** As in `FileWork`. */
  readonly keeper?: Keeper | undefined;
  /** Rules of the caller, which are asked last. */
  readonly moreRules?: readonly FileRule[];
}

/** A request in an attempt, before its rules and passes are made. */
export interface RequestedWork extends SyncRequest, AttemptParts {
  /** Its transfers were decided some time ago: they replace only the file that was seen then. */
  readonly isWaited?: true;
}

/** A request in an attempt: everything that decides about a pair of files. */
export interface FileWork extends RequestedWork {
  /** The copies of a move whose sources wait for a look at the destination; absent: each is looked at by itself. */
  readonly copies?: ShownCopies | undefined;
  /** What is known to be at the path of a new file. */
  readonly overNothing: Over;
  /** What keeps content of the destination; absent: nothing does. */
  readonly keeper?: Keeper | undefined;
  /** What decides about each file. */
  readonly rules: Rules;
  /** What takes part in a transfer, in the order in which it is asked. */
  readonly passes: readonly Pass[];
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
export function verbOf({ verb, range }: SyncScope): 'copy' | 'move' {
  return verb === 'move' && range === undefined ? 'move' : 'copy';
}
