/**
 * What a server keeps under a path: the current file, an old version of it, a delete marker (the newest one, so that
 * the file is deleted, or an old one), or the parts of an unfinished upload.
 */
export type KeptKind = 'current' | 'old' | 'marker' | 'old-marker' | 'upload';

/** One of several things under the same path. */
export interface Kept {
  readonly kind: KeptKind;
  /** The server's name of the version or upload. */
  readonly id: string;
}
