import type { Entry } from '../core/remote.ts';

/** An entry with its counterpart on the other side; at least one of them exists. */
export interface Match {
  readonly source?: Entry;
  readonly dest?: Entry;
}
