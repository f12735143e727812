/** A place between two characters that can be asked for. */
export type Assertion =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  | 'word-border'
  | 'no-word-border';

/** Whether a code point belongs to a set. Sets with the same `key` are the same set. */
export interface CodePointSet {
  readonly key: string;
  has(codePoint: number): boolean;
}

/** A regular expression, parsed. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'one-of'; readonly set: CodePointSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'either'; readonly nodes: readonly Node[] }
  /** `max` is Infinity where there is no limit. */
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

/** Switches that `(?ims)` sets for the rest of a group. */
export interface Flags {
  /** `i`: case does not matter. */
  readonly foldCase: boolean;
  /** `m`: `^` and `$` match at lines too. */
  readonly multiLine: boolean;
  /** `s`: `.` matches a newline too. */
  readonly dotAll: boolean;
}

/** What is wrong with an expression, as Go words it: `missing closing ): \`(a\``. */
export class SyntaxFault extends Error {}
