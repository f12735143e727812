/** Where a value of a request is taken from, and under which name it is passed on. */
export interface Parameter {
  readonly source: string;
  readonly name: string;
  /** Name of the variable; empty: made from `name`. */
  readonly envName: string;
  readonly base64Decode: boolean;
}

/** A single condition. Fields that a `type` does not need are empty. */
export interface HookMatch {
  readonly type: string;
  readonly value: string;
  readonly regex: string;
  readonly secret: string;
  readonly ipRange: string;
  readonly parameter: Parameter;
}

/** A condition; of several the first in the order `and`, `or`, `not`, `match` counts, and none is never met. */
export interface Rule {
  readonly and?: readonly Rule[];
  readonly or?: readonly Rule[];
  readonly not?: Rule;
  readonly match?: HookMatch;
}

/** All conditions of a rule, at any depth. */
export function matchesIn(rule: Rule | undefined): HookMatch[] {
  if (rule === undefined) return [];
  const { and = [], or = [], not, match } = rule;
  return [...(match ? [match] : []), ...[...and, ...or, not].flatMap(matchesIn)];
}

/** How many runs of a hook there may be. */
export interface RunLimits {
  /** Commands at the same time; 0: no limit. */
  readonly maxConcurrency: number;
  /** Maximum queued runs. */
  readonly queueSize: number;
  /** If the queue is full: refuse the run, drop it, or drop the oldest. */
  readonly onFull: 'reject' | 'drop-newest' | 'drop-oldest';
  /** Queued runs become one, with the newest request. */
  readonly coalesce: boolean;
  /** Maximum runs in a time; after a pause they may come in one burst. */
  readonly rate?: { readonly count: number; readonly perMs: number };
}

/** One hook as its file describes it. Texts that are absent are empty, absent codes are 0. */
export interface Hook {
  readonly id: string;
  readonly executeCommand: string;
  readonly workingDirectory: string;
  readonly responseMessage: string;
  readonly responseHeaders: readonly (readonly [name: string, value: string])[];
  readonly successCode: number;
  readonly mismatchCode: number;
  readonly contentType: string;
  /** Upper-cased; empty: those of the server. */
  readonly methods: readonly string[];
  readonly includeOutput: boolean;
  readonly includeOutputOnError: boolean;
  readonly arguments: readonly Parameter[];
  readonly environment: readonly Parameter[];
  readonly files: readonly Parameter[];
  readonly jsonParameters: readonly Parameter[];
  /** Absent: every request triggers the hook. */
  readonly rule?: Rule;
  /** Wrong signatures inside `or` are a plain no. */
  readonly softSignatures: boolean;
  /** Absent: as webhook 2.8.0, which starts every command at once. */
  readonly limits?: RunLimits;
  /** The answer is what the command writes, while it writes. */
  readonly streamOutput: boolean;
  /** Whether the answer waits for the command; absent: only if it includes the output. */
  readonly responseMode?: 'sync' | 'async';
  /** Values of references, which are never logged. */
  readonly secrets: readonly string[];
  /** It has a field that webhook 2.8.0 does not know. */
  readonly extended: boolean;
  /** Milliseconds until the command and its children are killed; 0: never. */
  readonly timeoutMs: number;
}
