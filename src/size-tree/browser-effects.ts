import type { Op } from '../core/remote.ts';
import type { Prices } from './costs.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** Gets the ID of the run in which something was changed, which can be undone. */
export interface Noted {
  noted?(run: string): void;
}

/** The reports of a transfer. */
export interface TransferReport extends Noted {
  /** Files that were found and are to be transferred, with their bytes. */
  found(files: number, bytes: number): void;
  bytes(count: number): void;
  /** More files are at their destination. */
  done(files: number): void;
  failed(path: string, message: string): void;
  /** The entry is not at its old place any more. */
  moved(nodes: readonly NodeId[]): void;
}

/** Of a transfer whose progress is not shown. */
export const NO_REPORT: TransferReport = {
  found() {},
  bytes() {},
  done() {},
  failed() {},
  moved() {},
};

/** A size and a time, as a question shows them; the time may be `NaN`. */
export interface ShownFile {
  readonly bytes: number;
  readonly timeMs: number;
}

/** A file that an upload or a transfer would replace. */
export interface Replaced {
  /** Relative to what is uploaded, or to the destination. */
  readonly path: string;
  readonly here: ShownFile;
  readonly there: ShownFile;
}

/** What becomes of a file that is at the destination already, and differs: the new one comes beside it with `both`. */
export type OnConflict = 'replace' | 'both' | 'leave';

/** What an upload would do, found out before it starts. */
export interface UploadPlan {
  readonly name: string;
  /** Files to upload, the replacing ones among them. */
  readonly files: number;
  readonly bytes: number;
  readonly replaced: readonly Replaced[];
  /**
   * Does exactly this, with the answers about the files of `replaced`, and shows in the tree what came of it. Resolves to
   * the names in the directory that it has written.
   */
  run(
    answers: ReadonlyMap<string, OnConflict>,
    report: TransferReport,
    op: Op,
  ): Promise<readonly string[]>;
}

/** What an editor has made of a copy. */
export interface Edited {
  readonly bytes: number;
  /** The file when it was opened. */
  readonly before: ShownFile;
  /** The file now, where that is another one; `gone`: it was deleted. */
  readonly rival: ShownFile | 'gone' | undefined;
}

/** A file as programs on this machine can open it. */
export interface LocalFile {
  readonly path: string;
  /** A private copy, not the file itself. */
  readonly isCopy: boolean;
  /** What the copy is now; `undefined`: as it was. */
  edited(op: Op): Promise<Edited | undefined>;
  /** Uploads the copy, if the file is still what `edited` found. Rejects with `source-changed`. */
  save(report: TransferReport, op: Op): Promise<void>;
  /** Deletes the copy; gives the directory if the program saved other files there, which are kept. */
  remove(): Promise<string | undefined>;
}

/** A program of the user's own choice. */
export type ProgramKind = 'pager' | 'editor' | 'shell';

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
export interface BrowserEffects {
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
  head(path: string, op: Op): Promise<Buffer>;
  /** A path as it was typed, with `~` and variables expanded. Throws `usage`. */
  expand(typed: string): string;
  /** A path as it may be shown: without secrets. */
  shown(spec: string): string;
  /** The working directory: downloads go there. */
  readonly workDir: string;
  fileNoun(): 'file' | 'object';
  /** The file of prices, where there may be costs. */
  pricePath?(): string | undefined;
  /** What storage costs; `undefined` if there is no file of prices. Rejects with `config`. */
  prices?(): Promise<Prices | undefined>;
  /** Puts a text where the terminal's user can paste it from. */
  copyText(text: string): void;
  /** Renames an entry in its directory. Rejects with `already-exists`. */
  rename(node: NodeId, name: string, report: TransferReport, op: Op): Promise<void>;
  /** Creates a directory (at the top of object storage a bucket). Rejects with `already-exists` or `unsupported`. */
  makeDir(dir: NodeId, name: string, op: Op): Promise<void>;
  /** Finds out what uploading a file or directory into a directory would do. */
  planUpload(from: string, dir: NodeId, op: Op): Promise<UploadPlan>;
  /** The file itself where it is on a disk, else a private copy. */
  localFile(node: NodeId, report: TransferReport, op: Op): Promise<LocalFile>;
  /** What the path that is typed may become. */
  readonly complete?: ((typed: string) => Promise<readonly string[]>) | undefined;
  /** Looks at an entry again after something else has changed it. */
  lookAgain(dir: NodeId, name: string, op: Op): Promise<void>;
  /** Runs a program on the terminal, with a file or in a directory; resolves to why it could not, or to `''`. */
  runProgram(kind: ProgramKind, path: string): Promise<string>;
  isLocal(): boolean;
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
