/** Where a listing continues: a token (version 2), a key (version 1), or, at its start with either, after any text. */
export type Position = (
  | { readonly token: string }
  | { readonly marker: string }
  | { readonly after: string }
) & {
  /** How many pages before it were empty. */
  readonly empty?: number;
};

/** What to list. */
export interface ListQuery {
  readonly bucket: string;
  readonly prefix: string;
  /** Whole names up to the next slash after the prefix, instead of all keys. */
  readonly byDirectory: boolean;
  readonly position: Position | undefined;
  /** Most keys on the page; the setting by default. */
  readonly limit?: number;
}
