import fs from 'node:fs';
import { Readable } from 'node:stream';
import type { UsedAgain } from '../../kit/used-again.ts';
import { fsError } from './fs-error.ts';
import { endedEarly } from './local-entry.ts';

/** The source of a `FileStream`. */
export interface FileStreamSource {
  /** Open for reading; closed by the stream. */
  readonly fd: number;
  /** For messages. */
  readonly native: string;
  readonly start: number;
  /** In bytes. */
  readonly length: number;
  /** The file may end before `length`. */
  readonly mayEnd: boolean;
  /** One buffer is read at a time; the reader of a chunk returns it. */
  readonly buffers: UsedAgain;
  /** Called at the end; throws if the content read is not valid. */
  readonly verify: () => unknown;
}

/** A part of an open file, in large chunks. Errors are `SyncerError`s; a file that ends early is one. */
export class FileStream extends Readable {
  readonly #source: FileStreamSource;
  #position: number;
  #left: number;
  /** A read is running: the file must stay open. */
  #reading = false;
  #onIdle: (() => void) | undefined;

  constructor(source: FileStreamSource) {
    // A byte stream would copy waiting chunks together.
    super({ objectMode: true, highWaterMark: 2 });
    this.#source = source;
    this.#position = source.start;
    this.#left = source.length;
  }

  override _read(): void {
    if (this.#left === 0) {
      this.#finish();
      return;
    }
    const { fd, buffers } = this.#source;
    const most = Math.min(buffers.size, this.#left);
    const buffer = most < buffers.size ? Buffer.allocUnsafeSlow(most) : buffers.take();
    this.#reading = true;
    fs.read(fd, buffer, 0, most, this.#position, (error, bytes) => {
      this.#reading = false;
      if (this.#onIdle !== undefined) this.#onIdle();
      else if (error !== null) this.destroy(fsError(error, 'read', this.#source.native));
      else if (bytes === 0 && this.#source.mayEnd) this.#finish();
      else if (bytes === 0) this.destroy(endedEarly(this.#source.native));
      else {
        this.#position += bytes;
        this.#left -= bytes;
        this.push(buffer.subarray(0, bytes));
      }
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const close = () => fs.close(this.#source.fd, () => done(error));
    if (this.#reading) this.#onIdle = close;
    else close();
  }

  #finish(): void {
    try {
      this.#source.verify();
      this.push(null);
    } catch (thrown) {
      this.destroy(fsError(thrown, 'read', this.#source.native));
    }
  }
}
