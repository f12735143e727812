import { PassThrough } from 'node:stream';
import { drained } from '../../core/body.ts';
import { linkedAbort } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { retry } from '../../core/retry.ts';
import type { ContentsKit } from './contents-kit.ts';

/**
 * A file up to this size, in bytes, is kept in memory: it is uploaded as a whole when it is closed, can be retried,
 * and can grow after that.
 */
const KEPT = 4 * 1024 * 1024;
/** How many bytes may wait for the upload before the writer has to wait. */
const FULL = 4 * 1024 * 1024;

/** A file written from start to end without a disk cache: it is uploaded while it is written. */
export class StreamedFile {
  #path: string;
  /** To be set by `setModTime`. */
  #modTime: ModTime;
  /** The time that the remote has. */
  #toldTime: ModTime | undefined;
  #isTimeSet = false;
  readonly #kit: ContentsKit;
  #size = 0;
  /** The whole content while it is small. */
  #kept: Buffer[] = [];
  /** The bytes of a running upload, in the order of the calls. */
  #sent: PassThrough | undefined;
  #upload: Promise<FileEntry> | undefined;
  #abort = new AbortController();
  #failure: SyncerError | undefined;
  #replaces: boolean;
  #isDirty: boolean;
  #moved: (() => void)[] = [];
  /** It has no name any more: written data is discarded. */
  #isOrphan = false;

  /** @param isNew the remote has no file, or it was truncated */
  constructor(kit: ContentsKit, path: string, isNew: boolean) {
    this.#kit = kit;
    this.#path = path;
    this.#modTime = modTimeFromMs(kit.context.clock.now());
    this.#replaces = isNew;
    this.#isDirty = isNew;
  }

  get size(): number {
    return this.#size;
  }

  get modTime(): ModTime {
    return this.#modTime;
  }

  /** Whether its content replaces the remote's. */
  get replaces(): boolean {
    return this.#replaces;
  }

  /** Whether it has changes that the remote lacks. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Its name has changed. An upload that runs still arrives under the old one, and is moved then. */
  renamed(path: string): void {
    if (this.#sent === undefined) this.#path = path;
  }

  /** What was uploaded has this name now. */
  moved(path: string): void {
    this.#path = path;
  }

  setModTime(modTime: ModTime): void {
    this.#modTime = modTime;
    this.#isTimeSet = true;
  }

  /** Rejects with `unsupported` unless it continues the previous write. */
  async write(offset: number, data: Uint8Array, op: Op): Promise<void> {
    if (!this.#replaces) throw needsCache(this.#path, 'change a part of a file');
    if (offset !== this.#size) await this.#wait(offset, op);
    if (offset !== this.#size) throw needsCache(this.#path, 'write out of order');
    if (this.#failure !== undefined && !this.#isOrphan) throw this.#failure;
    if (this.#sent === undefined && this.#size > KEPT) {
      throw needsCache(this.#path, 'continue a file that was closed');
    }
    this.#size += data.length;
    if (this.#isOrphan) return;
    const bytes = this.#kit.buffers.take(data.length);
    bytes.set(data);
    this.#isDirty = true;
    this.#modTime = modTimeFromMs(this.#kit.context.clock.now());
    this.#isTimeSet = false;
    for (const moved of this.#moved) moved();
    if (this.#sent !== undefined) return this.#send(this.#sent, bytes);
    this.#kept.push(bytes);
    if (this.#size <= KEPT) return;
    const kept = this.#kept;
    this.#kept = [];
    const sent = this.#start();
    // All at once: a parallel write comes after them.
    await Promise.all(kept.map((each) => this.#send(sent, each)));
  }

  /** What was written, while it is kept. Rejects with `unsupported` afterwards. */
  read(offset: number, length: number): Uint8Array {
    if (this.#size > KEPT || !this.#replaces) throw needsCache(this.#path, 'read what is written');
    return Buffer.concat(this.#kept).subarray(offset, offset + length);
  }

  /** Truncates it to 0, or does nothing; rejects with `unsupported` for any other size. */
  async truncate(size: number): Promise<void> {
    if (size !== 0) {
      if (this.#replaces && size === this.#size) return;
      throw needsCache(this.#path, 'change the size of a file');
    }
    await this.stop();
    this.#abort = new AbortController();
    this.#sent = undefined;
    this.#failure = undefined;
    this.#kept = [];
    this.#size = 0;
    this.#replaces = true;
    this.#isDirty = true;
    this.#modTime = modTimeFromMs(this.#kit.context.clock.now());
    this.#isTimeSet = false;
  }

  /**
   * Uploads it. Resolves to the uploaded file; `undefined` if there is nothing to do. Rejects with the error of the
   * remote.
   */
  async finish(op: Op): Promise<FileEntry | undefined> {
    if (this.#isOrphan || !this.#isDirty) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    const { signal } = linkedAbort(op.signal, this.#abort.signal);
    let entry: FileEntry;
    if (this.#sent === undefined) {
      const content = Buffer.concat(this.#kept);
      const source = { ...this.#source(content.length), seekable: true, open: async () => content };
      entry = await retry(() => this.#kit.remote.write(source, { signal }), {
        tries: this.#kit.options.lowLevelRetries,
        what: `write ${this.#path}`,
        signal,
        context: this.#kit.context,
      });
    } else entry = await this.#end(op);
    this.#isDirty = false;
    // A time that was set during the upload came too late for it.
    const { setModTime } = this.#kit.remote.can;
    const isTold = !this.#isTimeSet || this.#toldTime === this.#modTime;
    if (isTold || this.#kit.options.noModTime || setModTime === undefined) return entry;
    this.#toldTime = this.#modTime;
    return setModTime(entry, this.#modTime, op);
  }

  /** Its name is gone. */
  async orphan(): Promise<void> {
    this.#isOrphan = true;
    this.#isDirty = false;
    await this.stop();
  }

  /** Ends its upload; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#abort.abort(new SyncerError('interrupted', `${this.#path}: the upload was ended`));
    this.#sent?.destroy();
    await this.#upload?.catch(() => undefined);
    this.#upload = undefined;
  }

  #start(): PassThrough {
    // Pieces are read as they were written: a stream of bytes would copy them together.
    const sent = new PassThrough({
      writableHighWaterMark: FULL,
      readableObjectMode: true,
      readableHighWaterMark: 1,
    });
    // The kernel sends parts of a large write in parallel, and each waits.
    sent.setMaxListeners(0).on('error', () => undefined);
    this.#sent = sent;
    const open = async () => sent;
    const source = { ...this.#source(undefined), seekable: false, open };
    const upload = this.#kit.remote.write(source, { signal: this.#abort.signal });
    this.#upload = upload;
    upload.catch((thrown: unknown) => {
      if (this.#sent === sent) this.#failure = toSyncerError(thrown);
      sent.destroy();
    });
    return sent;
  }

  /** Resolves when more may be written. A write that the end of the upload cuts off is not its failure. */
  async #send(sent: PassThrough, bytes: Buffer): Promise<void> {
    if (!sent.write(bytes)) await drained(sent);
  }

  async #end(op: Op): Promise<FileEntry> {
    const { signal } = op;
    const stop = () => this.#abort.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#sent?.end();
      const entry = await this.#upload;
      this.#sent = undefined;
      this.#upload = undefined;
      if (entry === undefined) throw needsCache(this.#path, 'end a file twice');
      return entry;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #source(size: number | undefined): Omit<WriteSource, 'open' | 'seekable'> {
    const mimeType = this.#kit.mimeType(this.#path);
    if (this.#kit.options.noModTime) return { path: this.#path, size, mimeType };
    this.#toldTime = this.#modTime;
    return { path: this.#path, size, mimeType, modTime: this.#modTime };
  }

  /** Writes may come out of order: the preceding one may come soon. */
  async #wait(offset: number, { signal }: Op): Promise<void> {
    const over = linkedAbort(signal);
    const wait = this.#kit.context.clock
      .sleep(this.#kit.options.writeWait, over.signal)
      .catch(() => undefined);
    let isOver = false;
    void wait.then(() => {
      isOver = true;
    });
    while (this.#size < offset && !isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#moved.push(resolve);
      await Promise.race([promise, wait]);
      this.#moved = this.#moved.filter((each) => each !== resolve);
    }
    over.abort();
    signal.throwIfAborted();
  }
}

/** The error for what only a cache on disk could do: `change a part of a file`. */
export function needsCache(path: string, what: string): SyncerError {
  return new SyncerError('unsupported', `${path}: cannot ${what} without a cache on disk`, {
    path,
    advice: 'mount with --vfs-cache-mode writes',
  });
}
