import { randomBytes } from 'node:crypto';
import { constants, fstatSync, linkSync } from 'node:fs';
import { jsonObject } from '../../../core/json-object.ts';
import { AppendLog } from '../../../state/append-log.ts';
import type { ChecksumName, Checksums } from '../body/checksums.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type BucketFolder, CLOCK_TICK_MS } from './bucket-folder.ts';
import type { ObjectAttributes, ObjectRecord } from './object-record.ts';

/** The parameters of a new multipart upload. */
export interface UploadStart extends ObjectAttributes {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly initiated: number;
  /** Checksum of the parts and the whole. */
  readonly algorithm?: ChecksumName;
  /** The checksum of the whole is one of all bytes, not one of the parts' checksums. */
  readonly fullObject?: boolean;
}

/** A part that was received and verified. */
export interface Part {
  readonly number: number;
  /** Its file in the upload's directory, alone or with other parts. */
  readonly file: string;
  /** Its start in that file. */
  readonly offset: number;
  readonly size: number;
  /** MD5 in hexadecimal. */
  readonly etag: string;
  readonly checksums: Checksums;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** If the file is a second name of the one that the part was copied from: the time of that, in milliseconds. */
  readonly sourceTime?: number;
}

/** The file with contiguous parts, so that it can become the object as it is. */
export const JOINT_FILE = 'data';
/** Beyond this a part gets a file of its own: some file systems have smaller limits. */
const MAX_OFFSET = 2 ** 40;

/** A unique name for a file with one part. */
const fileName = (number: number): string => `${number}-${randomBytes(8).toString('hex')}`;

/** A second name of the file of an object, as in `Part`. */
export type LinkedFile = { readonly file: string; readonly sourceTime: number };

type PartLine = Part & { readonly stride?: number };

/**
 * A multipart upload: a directory with `upload.json`, `parts.log` (a line of JSON for each part that is complete) and
 * the parts. Parts as long as the first one received are written at their offset in the object; a part sent again, or
 * longer than the first, gets a file of its own. A copied part is a second name of its source, where it can be: the
 * bytes are copied once, into the object.
 */
export class Upload {
  readonly id: string;
  readonly #folder: BucketFolder;
  /** Its directory in the bucket. */
  readonly path: string;
  readonly start: UploadStart;
  readonly #log: AppendLog;
  readonly parts = new Map<number, Part>();
  /** Numbers of the parts that are being received into the joint file. */
  readonly receiving = new Set<number>();
  /** It was aborted or completed, or is being completed. */
  closed = false;
  /** The object of the current completion. */
  ending: Promise<ObjectRecord> | undefined;
  #stride: number | undefined;

  constructor(folder: BucketFolder, id: string, path: string, start: UploadStart) {
    this.#folder = folder;
    this.id = id;
    this.path = path;
    this.start = start;
    this.#log = new AppendLog(() => folder.at(`${path}/parts.log`));
  }

  /** Reads the parts again after a restart, and deletes files without a part. */
  reload(readOnly: boolean): void {
    // No link is followed, and no pipe is read.
    const hasLog = this.#folder.fileAt(`${this.path}/parts.log`) !== undefined;
    for (const text of hasLog ? this.#log.lines() : []) {
      const line = jsonObject<PartLine>(text);
      if (line === undefined) continue;
      this.parts.set(line.number, line);
      this.#stride ??= line.stride;
    }
    if (readOnly) return;
    const wanted = new Set([...this.parts.values()].map((part) => part.file));
    for (const name of this.#folder.read(this.path).files) {
      const isPart = name !== 'upload.json' && name !== 'parts.log';
      if (isPart && !wanted.has(name)) this.discard(name);
    }
  }

  /** Chooses the place of a part and opens the file, which the caller closes. Call `release` when it has been received. */
  reserve(number: number, size: number | undefined) {
    if (this.closed) throw new S3Error('NoSuchUpload');
    if (size !== undefined && size > 0) this.#stride ??= size;
    const stride = this.#stride ?? 0;
    const offset = (number - 1) * stride;
    const taken = this.parts.get(number)?.file === JOINT_FILE || this.receiving.has(number);
    const joint = size !== undefined && size <= stride && !taken && offset < MAX_OFFSET;
    const file = joint ? JOINT_FILE : fileName(number);
    const fd = this.open(file, constants.O_RDWR | constants.O_CREAT);
    if (joint) this.receiving.add(number);
    const release = () => {
      if (joint) this.receiving.delete(number);
    };
    return { file, fd, offset: joint ? offset : 0, release };
  }

  /**
   * Gives the file of an object, which is open, a second name for a part of it: the content stays although the object
   * is replaced or deleted. `undefined` if that is impossible, or if a later change of the file might not be seen.
   */
  link(number: number, from: BucketFolder, source: string, fd: number): LinkedFile | undefined {
    if (this.closed) throw new S3Error('NoSuchUpload');
    const opened = fstatSync(fd);
    if (Math.abs(Date.now() - opened.mtimeMs) < CLOCK_TICK_MS) return undefined;
    const file = fileName(number);
    const path = `${this.path}/${file}`;
    try {
      linkSync(from.at(source), this.#folder.at(path));
    } catch {
      // It is on another disk, or disk or system do not permit a second name.
      return undefined;
    }
    const linked = this.#folder.fileAt(path);
    if (linked?.ino === opened.ino && linked.dev === opened.dev) {
      return { file, sourceTime: opened.mtimeMs };
    }
    this.discard(file);
    return undefined;
  }

  /** Modification time of a file with parts in milliseconds; `undefined` if it is gone. */
  timeOf(file: string): number | undefined {
    return this.#folder.fileAt(`${this.path}/${file}`)?.mtimeMs;
  }

  /** Adds a complete part to the upload. */
  add(part: Part): void {
    if (this.closed) throw new S3Error('NoSuchUpload');
    const line: PartLine =
      part.file === JOINT_FILE && this.#stride !== undefined
        ? { ...part, stride: this.#stride }
        : part;
    this.#log.append(`${JSON.stringify(line)}\n`);
    this.#log.close();
    const before = this.parts.get(part.number);
    this.parts.set(part.number, part);
    if (before !== undefined) this.discard(before.file);
  }

  /** Deletes a file with one part only. */
  discard(file: string): void {
    if (file !== JOINT_FILE) this.#folder.remove(`${this.path}/${file}`);
  }

  /** Opens a file with parts; closed by the caller. */
  open(file: string, flags: number): number {
    return this.#folder.open(`${this.path}/${file}`, flags);
  }
}
