import type { Context } from '../../core/context.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { UsedAgain } from '../../kit/used-again.ts';
import type { VfsOptions } from '../vfs-options.ts';
import type { BlockBudget } from './block-budget.ts';
import type { Holds } from './holds.ts';
import type { QuickDisk } from './quick-disk.ts';

/** What all code in this directory works with. */
export interface ContentsKit {
  readonly remote: Remote;
  readonly options: VfsOptions;
  readonly context: Context;
  readonly budget: BlockBudget;
  readonly buffers: RequestBuffers;
  readonly holds: Holds;
  readonly disk: QuickDisk;
  readonly uploaded: Uploaded;
  readonly readFromMemory: ReadFromMemory;
  mimeType(path: string): string;
}

/** Reports uploads to its listeners. */
export class Uploaded {
  readonly #listeners: ((path: string, entry: FileEntry) => void)[] = [];

  on(listener: (path: string, entry: FileEntry) => void): void {
    this.#listeners.push(listener);
  }

  tell(path: string, entry: FileEntry): void {
    for (const listener of this.#listeners) listener(path, entry);
  }
}

/**
 * Reads what the system has of a file in memory, without waiting for the disk; returns the number of bytes, 0 if
 * none.
 */
export type ReadFromMemory = (fd: number, buffer: Buffer, offset: number) => number;

/** Size of a kernel request, in bytes: through its page cache, and directly. */
const USUAL = 128 * 1024;
const LARGEST = 1024 * 1024;

/** How much unused memory is kept of each size, in bytes. */
const KEPT = 16 * 1024 * 1024;

/** Memory for reads and writes of programs. Return it with `giveBack`. */
export class RequestBuffers {
  readonly #usual = new UsedAgain(USUAL, KEPT / USUAL);
  readonly #large = new UsedAgain(LARGEST, KEPT / LARGEST);

  /** `length` bytes with any content. */
  take(length: number): Buffer {
    // The system has enough small ones.
    if (length <= USUAL / 4 || length > LARGEST) return Buffer.allocUnsafeSlow(length);
    return (length <= USUAL ? this.#usual : this.#large).take().subarray(0, length);
  }
}
