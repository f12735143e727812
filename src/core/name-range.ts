/**
 * A part of the names of a listing. Its bounds are texts in the server's own order of names, and need not be names. Its
 * pages have files with another place in that order than their path has in `failed`.
 */
export interface NameRange {
  /** It begins behind this text; absent: at the first name. */
  readonly after?: string | undefined;
  /** It ends with this text; absent: at the last name. Read after each response: it may come down during a listing. */
  readonly last?: string | undefined;
  /** Most entries of one page; absent: as usual. */
  readonly most?: number | undefined;
}
