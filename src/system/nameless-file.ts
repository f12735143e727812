import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { writeNow } from './file-bytes.ts';

/**
 * A temporary file without a name from the beginning, so that nothing is left of it, however the process ends. All
 * methods throw `no-space`, or `other` as the disk does.
 */
export class NamelessFile {
  readonly #title: string;
  readonly #advice: string;
  readonly #fd: number;
  #length = 0;
  #isOpen = true;

  /**
   * @param title for messages
   * @param advice what to do if the disk is full
   */
  constructor(title: string, advice: string, folder = tmpdir()) {
    this.#title = title;
    this.#advice = advice;
    const path = join(folder, `syncer-${randomUUID()}`);
    this.#fd = this.#onDisk(() => fs.openSync(path, 'wx+', 0o600));
    this.#onDisk(() => fs.unlinkSync(path));
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Writes bytes at the end. */
  append(bytes: Uint8Array): void {
    this.#onDisk(() => writeNow(this.#fd, bytes, this.#length));
    this.#length += bytes.length;
  }

  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const read = this.#onDisk(() => fs.readSync(this.#fd, bytes, 0, length, offset));
    if (read !== length) throw new SyncerError('other', `${this.#title} was cut short`);
    return bytes;
  }

  close(): void {
    if (this.#isOpen) fs.closeSync(this.#fd);
    this.#isOpen = false;
  }

  #onDisk<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const text = `${this.#title} in ${tmpdir()}: ${message}`;
      const advice = this.#advice;
      if (code === 'ENOSPC') throw new SyncerError('no-space', text, { advice, cause });
      throw new SyncerError('other', text, { cause });
    }
  }
}
