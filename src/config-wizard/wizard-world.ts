import type { WizardKind } from './draft.ts';
import type { RemoteSummary } from './remote-summary.ts';

/** Expands `~` and variables in a path. Throws `usage`. */
export type Expand = (typed: string) => string;

/** What the wizard knows when a dialogue begins. */
export interface WizardWorld {
  /** In the order of the file. */
  readonly remotes: readonly RemoteSummary[];
  readonly kinds: readonly WizardKind[];
  /** Where the configuration is; `undefined`: in memory only. */
  readonly configPath: string | undefined;
  readonly isEncrypted: boolean;
  /** The configuration that rclone itself would use; `undefined` where there is none. */
  readonly rclonePath: string | undefined;
  readonly expand: Expand;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}
