import type { CompareOptions, ReferenceMode } from './sync-options.ts';

/**
 * How a file is compared with one in a reference directory: as with the destination, but options about existing files
 * do not apply, and nothing in the reference directory is changed.
 */
export function referenceRules(options: CompareOptions): CompareOptions {
  return {
    ...options,
    ignoreTimes: false,
    ignoreExisting: false,
    update: false,
    immutable: false,
    noUpdateModTime: true,
  };
}

/**
 * The reason of a transfer: a file on both sides of two trees, one that only the tree of the source has, or one that
 * the user named.
 */
export type TransferOf = 'pair' | 'new' | 'named';

/** What is left to do of a transfer if a reference directory has the file. */
export interface Referred {
  /** The file is copied from the reference directory; otherwise the destination stays as it is. */
  readonly copies: boolean;
  /** The file of the source is then deleted. */
  readonly deletesSource: boolean;
}

/**
 * Decides about a transfer whose file a reference directory has. Pure. As in rclone 1.60.1, a move leaves a file that
 * is new in a tree where it is.
 */
export function decideReferred(
  mode: ReferenceMode,
  verb: 'copy' | 'sync' | 'move',
  of: TransferOf,
  options: Pick<CompareOptions, 'ignoreExisting'>,
): Referred {
  return {
    copies: mode === 'copy',
    deletesSource: verb === 'move' && of !== 'new' && !options.ignoreExisting,
  };
}
