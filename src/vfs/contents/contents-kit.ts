import { BufferPool } from '../../core/buffers.ts';
import type { Clock, Context } from '../../core/context.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import { sameContent } from '../../core/same-content.ts';
import type { QuickDisk } from '../../system/quick-disk.ts';
import type { VfsOptions } from '../vfs-options.ts';
import type { BlockBudget } from './block-budget.ts';

/** What all code in this directory works with. */
export interface ContentsKit {
  readonly remote: Remote;
  readonly options: VfsOptions;
  readonly context: Context;
  readonly budget: BlockBudget;
  readonly buffers: RequestBuffers;
  readonly holds: Holds;
  readonly disk: QuickDisk;
  readonly readers: KeptReaders;
  readonly uploaded: Uploaded;
  mimeType(path: string): string;
}

/** Reports uploads to its listeners. */
export class Uploaded {
  readonly listeners: ((path: string, entry: FileEntry) => void)[] = [];

  tell(path: string, entry: FileEntry): void {
    for (const listener of this.listeners) listener(path, entry);
  }
}

/** Size of a kernel request, in bytes: through its page cache, and directly. */
const USUAL = 128 * 1024;
const LARGEST = 1024 * 1024;
/** How much unused memory is kept of each size, in bytes. */
const KEPT = 16 * 1024 * 1024;

/** Memory for reads and writes of programs. Return it with `releaseBuffer`. */
export class RequestBuffers {
  readonly #usual = new BufferPool(USUAL, KEPT / USUAL);
  readonly #large = new BufferPool(LARGEST, KEPT / LARGEST);

  /** `length` bytes with any content. */
  take(length: number): Buffer {
    // The system has enough small ones.
    if (length <= USUAL / 4 || length > LARGEST) return Buffer.allocUnsafeSlow(length);
    return (length <= USUAL ? this.#usual : this.#large).take().subarray(0, length);
  }
}

/** Reads one version of a remote file. */
export interface FileReader {
  /** In bytes; -1 while it is unknown. */
  readonly size: number;
  /** At most `length` bytes; fewer only at the end. Rejects with the error of the remote. */
  read(offset: number, length: number, op: Op): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** How many readers are kept: each has a share of the memory for read-ahead, and maybe a connection. */
const READERS_KEPT = 8;

/** Readers of files that were closed a moment ago, for programs that open a file again for each part of it. */
export class KeptReaders {
  readonly #clock: Clock;
  readonly #keepMs: number;
  /** By path, oldest first. */
  readonly #kept = new Map<
    string,
    { readonly file: FileEntry; readonly reader: FileReader; readonly dropped: AbortController }
  >();

  /** @param keepMs how long they are kept; 0: not at all */
  constructor(clock: Clock, keepMs: number) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Keeps a reader for a while, then closes it. */
  async keep(file: FileEntry, reader: FileReader): Promise<void> {
    if (this.#keepMs <= 0 || file.size < 0) return reader.close();
    await this.#drop(file.path);
    const dropped = new AbortController();
    this.#kept.set(file.path, { file, reader, dropped });
    this.#clock
      .sleep(this.#keepMs, dropped.signal)
      .then(() => this.#drop(file.path))
      .catch(() => {
        // It was taken or closed, or its download failed, which no caller waits for.
      });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > READERS_KEPT && oldest !== undefined) await this.#drop(oldest);
  }

  /** The kept reader of a file, which is the caller's from now on; `undefined` if there is none of this version. */
  take(file: FileEntry): FileReader | undefined {
    const kept = this.#kept.get(file.path);
    if (kept === undefined || !sameContent(kept.file, file)) return undefined;
    this.#kept.delete(file.path);
    kept.dropped.abort();
    return kept.reader;
  }

  async close(): Promise<void> {
    for (const path of [...this.#kept.keys()]) await this.#drop(path);
  }

  async #drop(path: string): Promise<void> {
    const kept = this.#kept.get(path);
    this.#kept.delete(path);
    kept?.dropped.abort();
    await kept?.reader.close();
  }
}

/** The paths at which names are about to change on the remote: nothing may be written there. */
export class Holds {
  readonly #counts = new Map<string, number>();
  readonly #onLetGo: () => void;
  #waiting: (() => void)[] = [];

  /** @param onLetGo called when a path is released */
  constructor(onLetGo: () => void) {
    this.#onLetGo = onLetGo;
  }

  /** Holds `path` and all below it until the returned function is called. */
  hold(path: string): () => void {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#counts.get(path) ?? 1) - 1;
      if (left === 0) this.#counts.delete(path);
      else this.#counts.set(path, left);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) go();
      this.#onLetGo();
    };
  }

  isHeld(path: string | undefined): boolean {
    if (path === undefined || this.#counts.size === 0) return false;
    for (const held of this.#counts.keys()) if (isWithin(held, path)) return true;
    return false;
  }

  /** Resolves when the path is not held; rejects with the signal's reason. */
  async free(path: () => string | undefined, { signal }: Op): Promise<void> {
    while (this.isHeld(path())) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
  }
}
