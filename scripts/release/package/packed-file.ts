/** A file or symbolic link of an archive. */
export interface PackedFile {
  /** Relative, without `./`; folders are made for it. */
  readonly path: string;
  /** Empty for a link. */
  readonly content: Uint8Array | string;
  /** Permissions; 0644 where absent. */
  readonly mode?: number;
  /** Where a symbolic link leads; absent for a file. */
  readonly link?: string;
}
