import type { Op } from '../core/remote.ts';
import type { NodeId } from './node.ts';

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

/** What is done at the place that is shown, besides deleting and transferring. The tree follows. */
export interface PlaceEffects {
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
  /** Whether the directories are those of this machine. */
  isLocal(): boolean;
}
