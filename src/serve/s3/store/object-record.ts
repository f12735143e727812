import type { Checksums } from '../body/checksums.ts';
import type { ObjectLocks } from './object-lock.ts';

/** Sizes of the parts of a multipart object: runs of parts of equal size. */
export type PartSizes = readonly (readonly [count: number, size: number])[];

/** Everything stored with an object except its content. */
export interface ObjectAttributes extends ObjectLocks {
  /** Headers to return: `content-type`, `x-amz-meta-…`, `x-amz-storage-class` and others; latin1 text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums?: Checksums;
  readonly parts?: PartSizes;
  /** The checksums of the parts, in their order. */
  readonly partChecksums?: readonly string[];
  /** The multipart upload that created it. */
  readonly uploadId?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** The record of one object. `size`, `mtimeMs` and `ino` are those of its file when the rest was valid; see `toldSize`. */
export interface ObjectRecord extends ObjectAttributes {
  readonly key: string;
  /** Relative to the bucket's directory. */
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
  /** The size of the file by its attributes, if its content is longer, as in /proc. Not kept between runs. */
  readonly toldSize?: number;
  /** An external file: its own time is the object's time. */
  readonly outside?: true;
  /** Absent if the bucket never kept versions. */
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

/** The properties of a file that show whether a record is still valid. */
export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** Whether the file is, by these properties, the one of the record. */
export function describesFile(
  record: FileFacts & Pick<ObjectRecord, 'toldSize'>,
  file: FileFacts,
): boolean {
  return (record.toldSize ?? record.size) === file.size && record.mtimeMs === file.mtimeMs;
}

/** The version id for clients: that of objects from before versioning is `null`. */
export function versionIdOf(record: ObjectRecord): string {
  return record.versionId ?? 'null';
}
