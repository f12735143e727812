import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { compareNames } from '../../../core/name-order.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { BucketFolder } from './bucket-folder.ts';
import { HIDDEN } from './key-to-file.ts';
import type { ObjectRecord } from './object-record.ts';
import { Upload, type UploadStart } from './upload.ts';

/** The multipart uploads in progress of a bucket. They survive a restart. */
export class UploadStore {
  readonly #folder: BucketFolder;
  readonly #readOnly: boolean;
  #uploads: Map<string, Upload> | undefined;

  constructor(folder: BucketFolder, readOnly: boolean) {
    this.#folder = folder;
    this.#readOnly = readOnly;
  }

  /** Starts an upload. */
  begin(start: UploadStart): Upload {
    const id = randomBytes(16).toString('hex');
    const path = this.#folder.hidden('uploads', id);
    const half = this.#folder.temporary();
    const folder = this.#folder;
    folder.makeFolder(half);
    writeFileSync(folder.at(`${half}/upload.json`), JSON.stringify(start), { mode: 0o600 });
    renameSync(folder.at(half), folder.at(path));
    const upload = new Upload(folder, id, path, start);
    this.#all().set(id, upload);
    return upload;
  }

  /** An upload of a key; throws `NoSuchUpload`. */
  get(id: string, key: string): Upload {
    const upload = this.#all().get(id);
    if (upload === undefined || upload.start.key !== key || upload.closed) {
      throw new S3Error('NoSuchUpload');
    }
    return upload;
  }

  /** Waits for an upload that is being completed, whatever the result. */
  async ending(id: string): Promise<void> {
    await this.#all()
      .get(id)
      ?.ending?.catch(() => undefined);
  }

  /**
   * Completes an upload by creating its object; concurrent calls get the same result. Parts cannot be added from here
   * on; on failure the upload is open again.
   */
  async end(upload: Upload, makeObject: () => Promise<ObjectRecord>): Promise<ObjectRecord> {
    if (upload.ending !== undefined) return upload.ending;
    if (upload.closed) throw new S3Error('NoSuchUpload');
    upload.closed = true;
    upload.ending = makeObject();
    try {
      const record = await upload.ending;
      this.remove(upload);
      return record;
    } catch (error) {
      upload.closed = false;
      upload.ending = undefined;
      throw error;
    }
  }

  /** Ends an upload and deletes its parts. */
  remove(upload: Upload): void {
    upload.closed = true;
    this.#all().delete(upload.id);
    this.#folder.remove(upload.path);
  }

  /** All uploads, by key and then by age. */
  list(): Upload[] {
    return [...this.#all().values()].sort(
      (a, b) =>
        compareNames(a.start.key, b.start.key) ||
        a.start.initiated - b.start.initiated ||
        (a.id < b.id ? -1 : 1),
    );
  }

  #all(): Map<string, Upload> {
    this.#uploads ??= this.#load();
    return this.#uploads;
  }

  #load(): Map<string, Upload> {
    const uploads = new Map<string, Upload>();
    const parent = `${HIDDEN}/uploads`;
    for (const id of this.#folder.read(parent).dirs) {
      const path = `${parent}/${id}`;
      const start: UploadStart = JSON.parse(
        readFileSync(this.#folder.at(`${path}/upload.json`), 'utf8'),
      );
      const upload = new Upload(this.#folder, id, path, start);
      upload.reload(this.#readOnly);
      uploads.set(id, upload);
    }
    return uploads;
  }
}
