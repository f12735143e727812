import type { ListedKey } from '../xml/list-page.ts';

/** Where a listing continues: a token (version 2), a key (version 1), or, at its start with either, after any text. */
export type Position = (
  | { readonly token: string }
  | { readonly marker: string }
  | { readonly after: string }
) & {
  /** How many pages before it were empty. */
  readonly empty?: number;
};

/** A listing of which more was listed than asked for. */
export interface KeysAhead {
  /** `next` has given the last keys. */
  readonly isOver: boolean;
  /** The next keys, at most a page; `undefined` after the last. Rejects as `Lister.page`, also of every later call. */
  next(): Promise<readonly ListedKey[] | undefined>;
  /** Ends the requests that are under way. */
  end(): void;
}

/** What to list. */
export interface ListQuery {
  readonly bucket: string;
  readonly prefix: string;
  /** Whole names up to the next slash after the prefix, instead of all keys. */
  readonly byDirectory: boolean;
  readonly position: Position | undefined;
  /** It can be done without: a refusal shows nothing about what the server knows. */
  readonly isOptional?: boolean;
  /** Most keys on the page; the setting by default. */
  readonly limit?: number;
}
