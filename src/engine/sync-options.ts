import type { OpenedPass } from './pass.ts';
import type { PlainOptions } from './sync-option-parts.ts';

/** All options of copy, sync and move. */
export interface SyncOptions extends PlainOptions {
  /** What the flags of passes ask for, in the order in which it takes part. */
  readonly passes: readonly OpenedPass[];
}
