/**
 * A content as pieces that follow each other. What is known of an old content by its pieces is a hint for finding what
 * a new one has in common with it, and proves nothing.
 */
export interface Pieces {
  /** In bytes. */
  readonly lengths: Uint32Array;
  /** A digest of each, all of one length. */
  readonly digests: Uint8Array;
}

/** Bytes that the new content has from `offset` on, and the old one from `from` on. */
export interface CommonRange {
  readonly offset: number;
  readonly length: number;
  readonly from: number;
}

/** The pieces of a file, computed beside what else the process does. */
export interface PiecesOf<File, Op> {
  /**
   * The MD5s of ranges, in hexadecimal; offsets and lengths in bytes. Rejects with `source-changed` if the file changes
   * in between.
   */
  md5s(
    file: File,
    ranges: readonly { readonly offset: number; readonly length: number }[],
    op: Op,
  ): Promise<readonly string[]>;
  /** Its pieces between places that the content chooses, with their SHA-256s. Rejects likewise. */
  cuts(file: File, op: Op): Promise<Pieces>;
}

/** The same of the content that is written. */
export interface SourcePieces<Op> {
  /** As `PiecesOf.md5s`. */
  md5s(
    ranges: readonly { readonly offset: number; readonly length: number }[],
    op: Op,
  ): Promise<readonly string[]>;
  /** As `PiecesOf.cuts`. */
  cuts(op: Op): Promise<Pieces>;
}

/** Bytes of the content that is written that are those of an object of the same remote, at the same offsets. */
export interface UnchangedBytes<File, Op> {
  readonly of: File;
  /** In order, without overlaps, within the sizes of both. In bytes. */
  readonly ranges: readonly { readonly offset: number; readonly length: number }[];
  /** Some were never read: `WriteSource.open` and `hash` download them. */
  readonly areUnread: boolean;
  /** Call it before an object with this ETag can replace `of`: then unread bytes may be those of that one. */
  replacing(etag: string): Promise<void>;
  /** Downloads what was never read. Rejects with `source-changed` or `file-not-found` if it is gone. */
  fetch(op: Op): Promise<void>;
}

/** What is known of a large object. */
export interface KnownPieces {
  /** The parts it was written in, with their MD5s. */
  readonly parts?: Pieces | undefined;
  /** Its pieces between places that the content chooses, with their SHA-256s. */
  readonly cuts?: Pieces | undefined;
}

/** What is known of a large object, and how far it was of use. */
export interface ObjectPieces extends KnownPieces {
  readonly etag: string;
  /** In bytes. */
  readonly size: number;
  /** How many uploads in a row had nothing in common with the object they replaced. */
  readonly misses: number;
}

/** The pieces of large objects that runs have written, on this machine. What is lost is learned again. No method rejects. */
export interface PieceNotes {
  /**
   * What is known of the object with this ETag, also from another endpoint of its server; else of an earlier one of that
   * name in the store.
   *
   * @param name bucket and key
   */
  find(store: string, name: string, etag: string): Promise<ObjectPieces | undefined>;
  /** Replaces what was known of an object of that name. */
  learn(store: string, name: string, pieces: ObjectPieces): Promise<void>;
}

/** What a probe has shown of a bucket. */
export interface PartCopies {
  /** Parts of an upload can be copied from an object, and the copies are proved: of any sizes, or all of one. */
  readonly copiesParts: 'any' | 'equal' | 'none';
  /** A copy is refused if its condition on the ETag of the source is not met. */
  readonly obeysIfMatch: boolean;
}

/** What probes have shown, on this machine. No method rejects. */
export interface ProbeNotes {
  find(store: string, bucket: string): Promise<PartCopies | undefined>;
  /** Replaces what was noted of the bucket. Resolves to whether later runs will find it. */
  learn(store: string, bucket: string, shown: PartCopies): Promise<boolean>;
}
