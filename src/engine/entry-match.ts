import type { Entry } from '../core/remote.ts';

/** An entry with its counterpart on the other side; at least one of them exists. */
export interface Match {
  readonly source?: Entry;
  readonly dest?: Entry;
  /** Path of the source's entry at the destination, if names are changed on the way. */
  readonly path?: string;
}
