import { UsedAgain } from '../../core/used-again.ts';
import { ReadBuffers } from './read-buffers.ts';

/** How large a block is, in bytes: as large as the largest read of the kernel. */
export const BLOCK_SIZE = 1024 * 1024;

/** So many blocks that nobody has in use are kept for later. */
const BLOCKS_KEPT = 16;

/** A block of memory that may be taken away. */
export interface Block {
  readonly bytes: number;
  /** Whether somebody waits for it. */
  isNeeded(): boolean;
  evict(): void;
}

/** The memory that all readers without a cache on disk share: what was used longest ago goes first. */
export class BlockBudget {
  readonly #limit: number;
  readonly #largestWindow: number;
  /** Memory for blocks: whoever had one gives it back. */
  readonly memory = new UsedAgain(BLOCK_SIZE, BLOCKS_KEPT);
  /** Memory for what is read of them. */
  readonly reads = new ReadBuffers();
  /** In the order of their last use. */
  readonly #blocks = new Set<Block>();
  #bytes = 0;
  #readers = 0;

  /**
   * @param limit in bytes
   * @param largestWindow how far ahead one reader fetches at most, in bytes
   */
  constructor(limit: number, largestWindow: number) {
    this.#limit = limit;
    this.#largestWindow = largestWindow;
  }

  /** In bytes. */
  get used(): number {
    return this.#bytes;
  }

  /** How far ahead each reader may fetch now: together they never want more than half of it all. */
  window(): number {
    const share = this.#limit / 2 / Math.max(1, this.#readers);
    return Math.max(512 * 1024, Math.min(this.#largestWindow, Math.floor(share)));
  }

  readerCame(): void {
    this.#readers++;
  }

  readerLeft(): void {
    this.#readers--;
  }

  add(block: Block): void {
    this.#blocks.add(block);
    this.#bytes += block.bytes;
    if (this.#bytes <= this.#limit) return;
    for (const old of this.#blocks) {
      if (old === block || old.isNeeded()) continue;
      this.remove(old);
      old.evict();
      if (this.#bytes <= this.#limit) return;
    }
  }

  use(block: Block): void {
    if (this.#blocks.delete(block)) this.#blocks.add(block);
  }

  remove(block: Block): void {
    if (this.#blocks.delete(block)) this.#bytes -= block.bytes;
  }
}
