/** A key and what it does, for the footer and the page of all keys. */
export interface KeyHint {
  /** As it is shown: `d`, `Enter`, `↑↓`. */
  readonly keys: string;
  /** In one to three words for the footer. */
  readonly does: string;
  /** In a sentence for the page of all keys, where `does` is not enough. */
  readonly more?: string;
}
