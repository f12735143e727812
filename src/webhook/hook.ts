import type { FIELDS, Field, HookKind } from './field-table.ts';

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
  readonly onFull: NonNullable<HookValues['on-full']>;
  /** Queued runs become one, with the newest request. */
  readonly coalesce: boolean;
  /** Maximum runs in a time; after a pause they may come in one burst. */
  readonly rate?: NonNullable<HookValues['rate-limit']>;
}

/** What fields of a hook give, by their kind; `undefined` where they are absent. Absent texts are empty. */
export interface FieldValues extends Readonly<Record<HookKind, unknown>> {
  readonly text: string;
  readonly bool: boolean;
  readonly word: string | undefined;
  /** 0 where it is absent. */
  readonly status: number;
  readonly count: number | undefined;
  /** Milliseconds; 0 where it is absent. */
  readonly duration: number;
  readonly rate: { readonly count: number; readonly perMs: number } | undefined;
  /** Upper-cased. */
  readonly methods: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly parameters: readonly Parameter[];
  readonly rule: Rule | undefined;
}

type FieldValue<F extends Field> = F extends { readonly words: readonly (infer Word)[] }
  ? Word | undefined
  : FieldValues[F['kind']];

/** What all fields of a hook give, by the names that they have in a file. */
export type HookValues = {
  readonly [Name in keyof typeof FIELDS]: FieldValue<(typeof FIELDS)[Name]>;
};

/** Members of a hook that are a field each. */
type Members = {
  readonly [Name in keyof HookValues as Exclude<
    (typeof FIELDS)[Name]['member'],
    'limits'
  >]: HookValues[Name];
};

/** One hook as its file describes it (`FIELDS`); members that may be `undefined` are absent then. */
export type Hook = {
  readonly [M in keyof Members as undefined extends Members[M] ? never : M]: Members[M];
} & {
  readonly [M in keyof Members as undefined extends Members[M] ? M : never]?: NonNullable<
    Members[M]
  >;
} & {
  /** Absent: as webhook 2.8.0, which starts every command at once. */
  readonly limits?: RunLimits;
  /** Values of references, which are never logged. */
  readonly secrets: readonly string[];
  /** It has a field that webhook 2.8.0 does not know. */
  readonly extended: boolean;
};
