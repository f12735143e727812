import type { Op } from '../core/remote.ts';
import type { Prices } from './costs.ts';
import type { NodeId } from './node.ts';
import type { PlaceEffects, TransferReport } from './place-effects.ts';
import type { SizeTree } from './size-tree.ts';

/** The reports of a deletion. */
export interface DeleteReport {
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
  delete(nodes: readonly NodeId[], report: DeleteReport, op: Op): Promise<void>;
  /** Copies or moves entries. Rejects with what keeps all of them from being transferred. */
  transfer(request: TransferRequest, report: TransferReport, op: Op): Promise<void>;
  /** All that the remote has on an entry; with `withHashes` also what takes reading the file. */
  details(path: string, withHashes: boolean, op: Op): Promise<readonly Detail[]>;
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
  /** Wipes the terminal, whatever another program has written over it; the cursor stays where it is. */
  clearScreen(): void;
}

/** Why nothing is deleted or moved, where that is so; `kept`: a scan of before is shown. */
export type Restraint = 'dry-run' | 'read-only' | 'imported' | 'kept';

/** Why nothing is deleted or moved. */
export function restraintText(restraint: Restraint, what: string): string {
  switch (restraint) {
    case 'dry-run':
      return `nothing is ${what} with --dry-run`;
    case 'read-only':
      return `nothing is ${what} with --read-only`;
    case 'imported':
      return `a scan from a file is read-only: nothing can be ${what}`;
    case 'kept':
      return `nothing is ${what} until the path is scanned again`;
  }
}
