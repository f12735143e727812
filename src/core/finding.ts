/** How a check ended. `warning`: it works, but needs attention; `unknown`: the check could not be made. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'unknown';

/** The result of a check of `doctor`. */
export interface Finding {
  /** Lower-case words with hyphens, the same in every version: `disk-space`. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, in a line; never a secret. */
  readonly text: string;
  /** The command that fixes it. */
  readonly mend?: string;
}

/** What a backend can find out about the service behind a remote. */
export interface Inspection<Op> {
  /** The address that requests go to. */
  readonly url: string;
  /** The checks of this service; only reads. Rejects only with the signal's reason. */
  findings(op: Op): AsyncIterable<Finding>;
}
