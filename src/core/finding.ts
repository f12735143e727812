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
  readonly mend?: string | undefined;
}

/**
 * What makes a place the same one for several machines, part by part: where all parts are equal, they see the same
 * objects under the same names. The account is left out. No secret.
 */
export interface PlaceIdentity {
  readonly type: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The prefix in the bucket. */
  readonly path: string;
  /** How names of objects become paths. */
  readonly names: string;
  /** What decides the ETags of encrypted objects, and a hash of the key. */
  readonly encryption: string;
  /** What new objects get besides: storage class and ACL. */
  readonly writing: string;
}

/** Where a service is, and what can be found out about it. */
export interface Inspection {
  /** The address that requests go to. */
  readonly url: string;
  /** Of the opened place; absent if other machines may see it otherwise, or as it was at another time. */
  readonly identity?: PlaceIdentity;
  /** What the login or the keys are known to lack without a request; `undefined`: nothing. Never rejects. */
  offline(): Promise<Finding | undefined>;
  /** The checks of this service; only reads. Rejects only with the signal's reason. */
  findings(op: { readonly signal: AbortSignal }): AsyncIterable<Finding>;
}
