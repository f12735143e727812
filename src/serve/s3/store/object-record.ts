import type { Checksums } from '../body/checksums.ts';
import type { ObjectLocks } from './object-lock.ts';

/** Sizes of the parts of an object that came in parts: runs of parts of equal size. */
export type PartSizes = readonly (readonly [count: number, size: number])[];

/** What is stored with an object besides its content. */
export interface ObjectAttributes extends ObjectLocks {
  /** Headers that are given back: `content-type`, `x-amz-meta-…`, `x-amz-storage-class` and the like; latin1 text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums?: Checksums;
  readonly parts?: PartSizes;
  /** The checksums of the parts, in their order. */
  readonly partChecksums?: readonly string[];
  /** The upload that it was completed by. */
  readonly uploadId?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** All that is known of one object. `size`, `mtimeMs` and `ino` are those of its file when the rest was true. */
export interface ObjectRecord extends ObjectAttributes {
  readonly key: string;
  /** Relative to the bucket's folder. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** Modification time of the file, in milliseconds with their fraction. */
  readonly mtimeMs: number;
  readonly ino: number;
  /** Without quotes. */
  readonly etag: string;
  /** LastModified: when the object was written, in milliseconds since the epoch. */
  readonly modified: number;
  /** The file came into the folder without the server: its own time is the object's time. */
  readonly outside?: true;
  /** Absent where the bucket never kept versions. */
  readonly versionId?: string;
}

/** A version that is not the current one, or a delete marker. */
export type OldVersion =
  | {
      readonly marker: true;
      readonly versionId: string;
      readonly modified: number;
      readonly record?: never;
    }
  | { readonly marker?: never; readonly versionId: string; readonly record: ObjectRecord };

/** What a file looks like, as far as it proves that a record still tells the truth. */
export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** Whether the file is, by all that can be seen, the one the record was made of. */
export function describesFile(record: FileFacts, file: FileFacts): boolean {
  return record.size === file.size && record.mtimeMs === file.mtimeMs;
}

/** The version id that clients see: objects from before versioning are called `null`. */
export function versionIdOf(record: ObjectRecord): string {
  return record.versionId ?? 'null';
}
