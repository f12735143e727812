/** The sums of directories. */
export interface Figures {
  readonly size: number;
  readonly files: number;
  readonly unknown: number;
  readonly failed: number;
  /** Directories, including itself, that were not listed to their end. */
  readonly unlisted: number;
  /** Bytes of blocks on a disk; files with several names once. */
  readonly disk: number;
  /** What the apparent size has more than the size: directories themselves, less the further names of files. */
  readonly extra: number;
  /** Bytes of old versions, and of unfinished uploads; both are part of `size`. */
  readonly old: number;
  readonly uploads: number;
}

/** The sums of an empty directory that was listed. */
export const NOTHING: Figures = {
  ...{ size: 0, files: 0, unknown: 0, failed: 0, unlisted: 0 },
  ...{ disk: 0, extra: 0, old: 0, uploads: 0 },
};
