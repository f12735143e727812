/**
 * Where a listing goes on: a token of version 2, or the key after which version 1 continues; or where it begins, with
 * either version: after `after`, which need not be a key.
 */
export type Position = (
  | { readonly token: string }
  | { readonly marker: string }
  | { readonly after: string }
) & {
  /** So many pages before it had nothing on them. */
  readonly empty?: number;
};

/** What to list. */
export interface ListQuery {
  readonly bucket: string;
  readonly prefix: string;
  /** Whole names up to the next slash behind the prefix, instead of all keys. */
  readonly byDirectory: boolean;
  readonly position: Position | undefined;
  /** Most keys on the page; the setting where absent. */
  readonly limit?: number;
}
