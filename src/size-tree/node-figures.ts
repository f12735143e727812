/** The sums of directories. */
export interface Figures {
  readonly size: number;
  readonly files: number;
  readonly unknown: number;
  readonly failed: number;
  /** Directories, including itself, that were not listed to their end. */
  readonly unlisted: number;
}

/** The sums of an empty directory that was listed. */
export const NOTHING: Figures = { size: 0, files: 0, unknown: 0, failed: 0, unlisted: 0 };
