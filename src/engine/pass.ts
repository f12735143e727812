import type { Context } from '../core/context.ts';
import type { FlagRows, ValuesOf } from '../core/flags.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Filter } from '../filter/filter.ts';
import type { FilePair, Fixer, Sides, Transfer, Verb } from './action.ts';
import type { ListedRange } from './in-range.ts';
import type { Aside } from './loss/keeper.ts';
import type { CommonGround, FileRule } from './rules/rule.ts';
import type { Run } from './run.ts';
import type { TransferLimit } from './run-limits.ts';
import type { NameTransform, PlainOptions } from './sync-option-parts.ts';

/** A renamed file: its entry at the source, and the old one at the destination. */
export interface Rename {
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/** Finds which new files of the source are extra files of the destination under other names. */
export type FindRenames = (
  newFiles: readonly FileEntry[],
  extra: readonly FileEntry[],
) => Promise<readonly Rename[]>;

/**
 * One optional capability of a run, which is absent where its flag is. It enters the way of a transfer from the listing
 * to its end at these points, and knows no other pass.
 */
export interface Pass {
  /** Transfers begin in the order in which it releases them. */
  readonly isOrdered?: boolean;
  /** The walk begins. */
  readonly begin?: () => void;
  /** Sees the files of both sides as they are listed. */
  readonly listed?: (pairs: readonly FilePair[]) => void;
  /**
   * Gives files and directories of the destination their names of the source before they are decided about.
   *
   * @param onChange gets the parent of each renamed entry
   */
  readonly fixer?: (onChange: (dir: string) => void) => Fixer;
  /** What new files wait for: renamed files are renamed instead. `undefined` if both sides do not allow it. */
  readonly renamer?: () => FindRenames | undefined;
  /** Whether the transfer waits until `release`. */
  readonly hold?: (transfer: Transfer) => boolean;
  /** All has been listed and compared; transfers begin that waited for it. */
  readonly compared?: () => void;
  /** The transfers that wait; after `compared`. */
  readonly release?: () => readonly Transfer[];
  /** A plan was shown, and what was chosen of it is now made: its transfers come again, and those of the plan are forgotten. */
  readonly chosen?: () => void;
  /**
   * Whether the transfer may begin, asked just before; `false`: it is left, and the pass has logged why. Rejects with
   * the error of the transfer.
   *
   * @param run whose consent counts: in a review there is another one for each of its two times (`inReview`)
   */
  readonly admit?: (transfer: Transfer, run: Run) => boolean | Promise<boolean>;
  /** The transfer to make instead of one whose copy failed. */
  readonly instead?: (transfer: Transfer, error: unknown) => Transfer | undefined;
  /** Whether the pass takes over a transfer that failed: it is no error then. */
  readonly takes?: (transfer: Transfer, error: unknown) => boolean;
  /**
   * The extra files of the destination, all of them, in rounds: those of one round are gone before the next one begins.
   * Of one pass at most; which files are extra ones, the filter says.
   */
  readonly rounds?: (extra: readonly FileEntry[]) => readonly (readonly FileEntry[])[];
  /** How it keeps what is replaced or deleted; of one pass at most. */
  readonly aside?: Aside;
  /**
   * The file is in its place, and what it replaced is gone. Rejects with the error of the transfer.
   *
   * @param run as of `admit`
   */
  readonly done?: (transfer: Transfer, run: Run) => Promise<void> | undefined;
}

/** What is done with the files of both sides, and with which. */
export interface SyncScope extends Sides {
  readonly verb: Verb;
  /** Only these names, in one flat listing of each side. Absent: everything. */
  readonly range?: ListedRange;
  /** The source is one file. */
  readonly isOne?: true;
}

/** What belongs to one attempt. */
export interface AttemptParts {
  readonly run: Run;
  readonly ground: CommonGround;
  readonly limit: TransferLimit | undefined;
}

/** What the passes of a run are made of. */
export interface PassGround extends SyncScope, AttemptParts {
  readonly options: PlainOptions;
}

/** A pass whose flags are given, with what they name. */
export interface OpenedPass {
  /** Trees are moved file by file, and not by one rename. */
  readonly byFile?: true;
  /** Changes the names of the source. */
  readonly transform?: NameTransform;
  /** Decides when all files of both sides are known; extra files are deleted after that. */
  readonly seesAll?: true;
  /** Where it keeps what is deleted or replaced. */
  readonly keepsIn?: Remote;
  /** What it says about which files are transferred. */
  rule?(ground: PassGround): FileRule;
  /** The pass in one attempt; `undefined` if it has nothing to do there. */
  make(ground: PassGround): Pass | readonly Pass[] | undefined;
}

/** What finds renamed files, if a pass does. */
export function renamerOf(passes: readonly Pass[]): FindRenames | undefined {
  return passes.find(({ renamer }) => renamer !== undefined)?.renamer?.();
}

/** What passes are opened with. */
export interface PassContext extends Sides {
  readonly verb: Verb;
  /** The source is one file. */
  readonly isFile?: boolean;
  /** It is one direction of a two-way sync. */
  readonly isTwoWay?: true;
  readonly context: Context;
  filter(): Promise<Filter>;
  /** Opens a path as a directory, without a look at it. */
  openDir(spec: string): Promise<Remote>;
  /** Opens a path that may name a file. */
  openPath(spec: string): Promise<{ readonly remote: Remote; readonly file?: FileEntry }>;
}

/** A pass as its flags offer it. */
export interface OfferedPass<Rows extends FlagRows> {
  readonly flags: Rows;
  /** The flag behind which they stand in help; none of another pass. */
  readonly after: string;
  /** It is for runs of many files: what the user names one by one goes whole without it. */
  readonly isForMany?: true;
  /** Whether modification times count with these values, which then may have to be requested. */
  readonly usesModTimes?: (flags: ValuesOf<Rows>) => boolean;
  /**
   * Reads the flags, and opens what they name; `undefined` without them. Its code is loaded only then. Rejects with
   * `usage` or `fatal` for bad values.
   */
  open(flags: ValuesOf<Rows>, context: PassContext): Promise<OpenedPass | undefined>;
}

/** Checks the types of a pass with its flags. */
export function offerPass<const Rows extends FlagRows>(pass: OfferedPass<Rows>): OfferedPass<Rows> {
  return pass;
}

/** All options of copy, sync and move. */
export interface SyncOptions extends PlainOptions {
  /** What the flags of passes ask for, in the order in which it takes part. */
  readonly passes: readonly OpenedPass[];
}
