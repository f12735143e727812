import type { Op } from '../core/remote.ts';
import type { Prices } from './costs.ts';
import type { NodeId } from './node.ts';
import type { Noted, OnConflict, PlaceEffects, Replaced, TransferReport } from './place-effects.ts';
import type { SizeTree } from './size-tree.ts';

/**
 * How a place keeps what is deleted: `moves` it into its `.syncer-trash`, `copies` it there, or the `server` keeps it by
 * itself, as `versions` of a bucket or in its own `bin`.
 */
export type TrashWay = 'moves' | 'copies' | 'versions' | 'bin';

/** What undoing a run would do, found out before it starts. */
export interface UndoPlan {
  readonly changes: readonly {
    readonly does: 'restore' | 'delete' | 'move';
    readonly path: string;
    /** Where a moved one is now. */
    readonly from?: string;
    readonly bytes: number;
  }[];
  /** What stays as it is, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** Does exactly this. */
  run(report: TransferReport, op: Op): Promise<void>;
}

/** What one run has left in the trash. */
export interface DeletedRun {
  readonly id: string;
  /** When it began, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly files: number;
  readonly bytes: number;
  /** Relative to the place. */
  readonly paths: readonly string[];
  /** It is in a recycle bin that only its website empties. */
  readonly isFixed: boolean;
}

/** The trash of a place. */
export interface TrashEffects {
  /** How it keeps what is deleted; `undefined`: it cannot. */
  way(op: Op): Promise<TrashWay | undefined>;
  /** A deletion goes there, if no other key is pressed (`--trash`). */
  readonly isFirst: boolean;
  list(op: Op): Promise<readonly DeletedRun[]>;
  /** Puts back what a run deleted, as far as nothing else is at its place. */
  restore(run: DeletedRun, report: TransferReport, op: Op): Promise<void>;
  empty(runs: readonly DeletedRun[], report: TransferReport, op: Op): Promise<void>;
}

/** Where deleted files go: `trash`, or nowhere. */
export type DeleteTo = 'trash' | 'nowhere';

/** The reports of a deletion. */
export interface DeleteReport extends Noted {
  /** These were deleted just now. */
  gone(nodes: readonly NodeId[]): void;
  /** These were not there any more. */
  vanished(nodes: readonly NodeId[]): void;
  /** The task was stopped before the store responded: these may be deleted. */
  unknown(nodes: readonly NodeId[]): void;
  failed(node: NodeId, path: string, message: string): void;
}

/** What is done with marked entries besides deleting them. */
export type TransferVerb = 'copy' | 'move';

/** Files and directories to be copied or moved. */
export interface TransferRequest {
  readonly verb: TransferVerb;
  readonly nodes: readonly NodeId[];
  /** `remote:path` or a local path: the directory they go into. */
  readonly dest: string;
  /** For each file that would be replaced, by its path there; any other one is not replaced. Absent: all are. */
  readonly conflicts?: ReadonlyMap<string, OnConflict>;
}

/** A line about an entry: what it is called and what it is. */
export type Detail = readonly [name: string, value: string];

/** A scan of before that is shown until the new one is there. */
export interface KeptView {
  /** How long ago it was made: `3 d ago`. */
  readonly age: string;
  /** Reads it into the tree, which is empty. Rejects where it cannot be read; the tree then has a part of it. */
  read(op: Op): Promise<void>;
}

/** A scan of before, to compare with. */
export interface OlderScan {
  readonly tree: SizeTree;
  /** When it was made; `NaN` unknown. */
  readonly timeMs: number;
}

/** What the browser has done for it: all that takes time, and the terminal's own clipboard. */
export interface BrowserEffects extends PlaceEffects {
  /** Lists everything below a directory into `into`, a root of the tree. Rejects if the directory cannot be listed. */
  scan(into: NodeId, path: string, preferred: () => NodeId | undefined, op: Op): Promise<void>;
  /** What a request waits for now, as a short line; `undefined`: for nothing but the store. */
  waiting?(): string | undefined;
  /** The scan to show first; `undefined` if there is none. */
  kept?(op: Op): Promise<KeptView | undefined>;
  /** Everything was listed just now. */
  listed?(): Promise<void>;
  /** The scan to compare with; `undefined` if there is none. */
  older(op: Op): Promise<OlderScan | undefined>;
  /** The mount points at these paths and below them; none for a path that is not on a disk. */
  mountPoints?(paths: readonly string[]): readonly string[];
  /** Deletes entries and reports each; directories with mount points fail. Rejects if `op` is aborted. */
  delete(nodes: readonly NodeId[], to: DeleteTo, report: DeleteReport, op: Op): Promise<void>;
  /** Absent where nothing is kept: without a history, and in a scan from a file. */
  readonly trash?: TrashEffects;
  /** Finds out what undoing a run of this browser would do. Absent without a history. */
  planUndo?(run: string, op: Op): Promise<UndoPlan>;
  /** Why entries of these names cannot be at a destination; `undefined` if they can. */
  refusalAt?(
    dest: string,
    names: readonly { readonly name: string; readonly isDir: boolean }[],
    op: Op,
  ): Promise<string | undefined>;
  /** The files that a transfer would replace. */
  conflicts?(request: TransferRequest, op: Op): Promise<readonly Replaced[]>;
  /** Copies or moves entries. Rejects with what keeps all of them from being transferred. */
  transfer(request: TransferRequest, report: TransferReport, op: Op): Promise<void>;
  /** All that the remote has on an entry; with `withHashes` also what takes reading the file. */
  details(path: string, withHashes: boolean, op: Op): Promise<readonly Detail[]>;
  /**
   * The hash of a file's contents, which are read whole; `onBytes` gets how many more were. Rejects with
   * `source-changed` if it has another size now.
   */
  contentHash(
    path: string,
    size: number,
    onBytes: (bytes: number) => void,
    op: Op,
  ): Promise<string>;
  /** The beginning of a file. */
  head(path: string, op: Op): Promise<Buffer>;
  /** A path as it was typed, with `~` and variables expanded. Throws `usage`. */
  expand(typed: string): string;
  /** A path as it may be shown: without secrets. */
  shown(spec: string): string;
  /** The working directory: downloads go there. */
  readonly workDir: string;
  /** What files are called there. */
  fileNoun(): 'file' | 'object';
  /** The file of prices, where there may be costs. */
  pricePath?(): string | undefined;
  /** What storage costs; `undefined` if there is no file of prices. Rejects with `config`. */
  prices?(): Promise<Prices | undefined>;
  /** Puts a text where the terminal's user can paste it from. */
  copyText(text: string): void;
}

/** Why nothing is deleted or moved, where that is so; `kept`: a scan of before is shown. */
export type Restraint = 'dry-run' | 'read-only' | 'imported' | 'kept';

/** Why nothing is deleted or moved. */
export function restraintText(restraint: Restraint, what: string): string {
  return {
    'dry-run': `nothing is ${what} with --dry-run`,
    'read-only': `nothing is ${what} with --read-only`,
    imported: `a scan from a file is read-only: nothing can be ${what}`,
    kept: `nothing is ${what} until the path is scanned again`,
  }[restraint];
}
