import { jsonObject } from '../../../core/json-object.ts';
import type { AppendLog } from '../../../state/append-log.ts';
import type { Checksums } from '../body/checksums.ts';

/** `GOVERNANCE` can be bypassed by a client that asks for it, `COMPLIANCE` never. */
export type LockMode = 'GOVERNANCE' | 'COMPLIANCE';

/** Protects a version from deletion until a time. */
export interface Retention {
  readonly mode: LockMode;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The locks of one version. */
export interface ObjectLocks {
  readonly retention?: Retention | undefined;
  readonly legalHold?: 'ON' | 'OFF';
}

/** The retention of new objects of a bucket: either `days` or `years` is set. */
export interface DefaultRetention {
  readonly mode: LockMode;
  readonly days?: number;
  readonly years?: number;
}

/** Sizes of the parts of a multipart object: runs of parts of equal size. */
export type PartSizes = readonly (readonly [count: number, size: number])[];

/** Everything stored with an object except its content. */
export interface ObjectAttributes extends ObjectLocks {
  /** Headers to return: `content-type`, `x-amz-meta-…`, `x-amz-storage-class` and others; latin1 text. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums?: Checksums;
  readonly parts?: PartSizes;
  /** The numbers of the parts, if they are not 1, 2, 3 and so on. */
  readonly partNumbers?: readonly number[];
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
export type FileFacts = Readonly<Record<'size' | 'mtimeMs' | 'ino', number>>;

/** Whether the file is, by these properties, the one of the record. */
export function describesFile(record: FileFacts & Pick<ObjectRecord, 'toldSize'>, file: FileFacts) {
  return (record.toldSize ?? record.size) === file.size && record.mtimeMs === file.mtimeMs;
}

/** The version id for clients: that of objects from before versioning is `null`. */
export const versionIdOf = (record: ObjectRecord): string => record.versionId ?? 'null';

/** One line of the log: the last one about a key counts. */
export type LogLine =
  | { readonly put: ObjectRecord }
  | { readonly del: string }
  /** All versions of a key but the current one, newest first. */
  | { readonly old: string; readonly versions: readonly OldVersion[] };

/** The content of a log. */
export interface LoadedLog {
  readonly records: Map<string, ObjectRecord>;
  readonly history: Map<string, readonly OldVersion[]>;
  /** The record that the last `put` replaced: after a crash just before its file is put in place, it still matches. */
  readonly replaced: ObjectRecord | undefined;
  /** Number of lines, more than needed if keys were written several times. */
  readonly lines: number;
  /** No line was unreadable. */
  readonly intact: boolean;
}

/** Reads the log of a bucket; a missing one is empty. Skips a line that a crash truncated. */
export function loadLog(log: AppendLog): LoadedLog {
  const records = new Map<string, ObjectRecord>();
  const history = new Map<string, readonly OldVersion[]>();
  let replaced: ObjectRecord | undefined;
  let lines = 0;
  let intact = true;
  for (const text of log.lines()) {
    const line = jsonObject<LogLine>(text);
    if (line === undefined || !('put' in line || 'del' in line || 'old' in line)) {
      intact = false;
      continue;
    }
    lines++;
    if ('put' in line) {
      replaced = records.get(line.put.key);
      records.set(line.put.key, line.put);
    } else if ('del' in line) records.delete(line.del);
    else if (line.versions.length === 0) history.delete(line.old);
    else history.set(line.old, line.versions);
  }
  return { records, history, replaced, lines, intact };
}

/** A line as it is written. */
export const textOf = (line: LogLine): string => `${JSON.stringify(line)}\n`;
