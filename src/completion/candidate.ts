/** A possible continuation of the word being typed. */
export interface Candidate {
  /** The whole word. After `/`, `:` or `=` it continues: no blank is added. */
  readonly text: string;
  readonly help?: string;
}

/** What may come at a place: known words, or something to look up. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  /** Names of remotes; `colon`: followed by the colon. */
  | { readonly kind: 'remotes'; readonly colon: boolean }
  /** Names of saved jobs. */
  | { readonly kind: 'jobs' }
  /** Names of backends. */
  | { readonly kind: 'types' }
  /** A path of a remote or of this machine, after `lead`, which is part of the word. */
  | { readonly kind: 'path'; readonly lead: string; readonly localOnly: boolean }
  /** Names of the options of a remote (`''`: of the kind `type`), as `key=`. */
  | { readonly kind: 'option-keys'; readonly remote: string; readonly type: string };

/** The candidates that start with what was typed. */
export function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ text }) => text.startsWith(typed));
}
