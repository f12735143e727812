/** A way the word being typed could go on. */
export interface Candidate {
  /** The whole word. One that ends in `/`, `:` or `=` goes on: no blank is put behind it. */
  readonly text: string;
  readonly help?: string;
}

/** What is wanted where the word stands: words that are known, or something to look up. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  /** Names of remotes; `colon`: with the colon behind them. */
  | { readonly kind: 'remotes'; readonly colon: boolean }
  /** Kinds of storage. */
  | { readonly kind: 'types' }
  /** A path of a remote or of this machine, behind `lead`, which is part of the word. */
  | { readonly kind: 'path'; readonly lead: string; readonly localOnly: boolean }
  /** Names of the options of a remote (`''`: of the kind `type`), as `key=`. */
  | { readonly kind: 'option-keys'; readonly remote: string; readonly type: string };

/** The candidates that begin with what is typed already. */
export function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ text }) => text.startsWith(typed));
}
