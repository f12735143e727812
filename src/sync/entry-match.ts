import type { Entry } from '../core/remote.ts';

/** An entry with its counterpart on the other side; at least one of them is there. */
export interface Match {
  readonly source?: Entry;
  readonly dest?: Entry;
}
