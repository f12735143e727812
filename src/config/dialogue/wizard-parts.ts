import type { ConfigSections } from '../ini-lines.ts';
import type { WizardKind } from './draft.ts';
import type { RemoteSummary } from './remote-summary.ts';
import type { Script } from './step.ts';
import type { Outcome, WizardWorks } from './work.ts';

/** What a wizard is made of, on a terminal and as lines of text. */
export interface WizardParts {
  /** Reads the current state before each turn. */
  readonly look: () => Promise<WizardWorld>;
  readonly script: (world: WizardWorld) => Script;
  /** It begins again after each turn, until `quit`. */
  readonly repeats: boolean;
  readonly works: WizardWorks;
  /** Does what a dialogue came to; resolves to a line that says so. Rejects with a `SyncerError`. */
  readonly carryOut: (outcome: Outcome) => Promise<string>;
  readonly signal: AbortSignal;
}

/** Expands `~` and variables in a path. Throws `usage`. */
export type Expand = (typed: string) => string;

/** What the wizard knows when a dialogue begins. */
export interface WizardWorld {
  /** In the order of the file. */
  readonly remotes: readonly RemoteSummary[];
  readonly kinds: readonly WizardKind[];
  /** What the configuration held before its last change by the wizard; `undefined`: that is not kept. */
  readonly former: ConfigSections | undefined;
  /** Where the configuration is; `undefined`: in memory only. */
  readonly configPath: string | undefined;
  readonly isEncrypted: boolean;
  /** The configuration that rclone itself would use; `undefined` where there is none. */
  readonly rclonePath: string | undefined;
  readonly expand: Expand;
  /** The jobs that use a remote, in a sentence; `''` if there are none. */
  readonly usedBy: (name: string) => string;
  /** The dialogue is on screens, which have a form and undo; the lines of text are those of rclone. */
  readonly isScreen?: boolean;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}
