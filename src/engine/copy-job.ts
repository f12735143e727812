import type { TransferKind } from '../core/events.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import type { PlainOptions } from './sync-option-parts.ts';

/** A file to copy or move, and its target. */
export interface CopyJob {
  readonly source: Remote;
  readonly file: FileEntry;
  readonly dest: Remote;
  readonly path: string;
  /** The file at `path`. */
  readonly replaces?: FileEntry;
  /** What is known about the change, for the journal. */
  readonly change?: NonNullable<Op['change']>;
  /** How it is counted; `copy` by default. */
  readonly kind?: TransferKind;
  /** It is a step of a change that is reported by itself: a backup, a rename. */
  readonly isStep?: true;
}

/** The options of a single copy. */
export type CopyRules = Pick<
  PlainOptions,
  | 'lowLevelRetries'
  | 'ignoreSize'
  | 'ignoreChecksum'
  | 'ranges'
  | 'serverSideAcrossConfigs'
  | 'metadata'
> &
  Partial<Pick<PlainOptions, 'checksum'>>;
