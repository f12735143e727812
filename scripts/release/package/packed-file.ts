/** A file, folder or link of an archive. */
export interface PackedFile {
  /** Relative, without `./`; folders are made for it. */
  readonly path: string;
  readonly content: Uint8Array | string;
  /** Permissions; 0644 where absent. */
  readonly mode?: number;
}
