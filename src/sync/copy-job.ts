import type { TransferKind } from '../core/events.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { SyncOptions } from './sync-options.ts';

/** A file that is equal to the one to be transferred, on the remote of the destination. */
export interface CopyFrom {
  readonly remote: Remote;
  readonly file: FileEntry;
  /** The file of the source goes when the copy is made. */
  readonly deletesSource: boolean;
}

/** A file that waits to be transferred, and the one it replaces. */
export interface Transfer {
  readonly source: FileEntry;
  readonly replaces?: FileEntry;
  /** Path at the destination. */
  readonly path: string;
  /** Why it replaces the other one. */
  readonly reason?: Reason;
  /** Where the store copies it from instead of from the source (`--copy-dest`). */
  readonly from?: CopyFrom;
}

/** A file to copy or move, and where to. */
export interface CopyJob {
  readonly source: Remote;
  readonly file: FileEntry;
  readonly dest: Remote;
  readonly path: string;
  /** A file is at `path` already. */
  readonly replaces?: boolean;
  /** As what it is counted; `copy` where absent. */
  readonly kind?: TransferKind;
}

/** The options that a single copy obeys. */
export type CopyRules = Pick<
  SyncOptions,
  | 'lowLevelRetries'
  | 'ignoreSize'
  | 'ignoreChecksum'
  | 'ranges'
  | 'serverSideAcrossConfigs'
  | 'metadata'
> &
  Partial<Pick<SyncOptions, 'checksum'>>;

/**
 * Whether a copy is verified by a checksum that costs next to nothing, where the source has one beside better hashes:
 * what a disk is given is compared with that of what came. Not for those who ask for hashes.
 */
export function prefersChecksum({ dest }: Pick<CopyJob, 'dest'>, rules: CopyRules): boolean {
  return dest.traits.onDisk && !rules.ignoreChecksum && rules.checksum !== true;
}

/** Whether the store may be asked to copy or move: within one remote, or where the user allows it. */
export function mayWorkInStore(
  { source, dest }: Pick<CopyJob, 'source' | 'dest'>,
  rules: Pick<CopyRules, 'serverSideAcrossConfigs'>,
): boolean {
  return source.name === dest.name || rules.serverSideAcrossConfigs;
}
