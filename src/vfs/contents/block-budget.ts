import { BufferPool } from '../../core/buffers.ts';

/** Size of a block, in bytes: small enough that many readers have some each. */
export const BLOCK_SIZE = 256 * 1024;
/** How many unused blocks are kept. */
const BLOCKS_KEPT = 64;
/** How much that was read to its end is kept, in bytes: the kernel reads out of order, and has it in its page cache. */
const SPENT_KEPT = 16 * 1024 * 1024;
/** How far ahead each reader may always read, in bytes. */
const SMALLEST_WINDOW = BLOCK_SIZE;

/** A block of memory that may be evicted. */
export interface Block {
  readonly bytes: number;
  /** Whether a reader waits for it. */
  isNeeded(): boolean;
  evict(): void;
}

/**
 * The memory that all readers without a disk cache share. Blocks that were read to their end are evicted first, as in
 * the kernel.
 */
export class BlockBudget {
  readonly #limit: number;
  readonly #largestWindow: number;
  /** Pool for blocks. */
  readonly memory = new BufferPool(BLOCK_SIZE, BLOCKS_KEPT);
  /** Read to their end, in that order. */
  readonly #spent = new Set<Block>();
  /** Of those, in bytes. */
  #spentBytes = 0;
  /** The others, least recently used first. */
  readonly #blocks = new Set<Block>();
  /** In bytes. */
  used = 0;
  /** Each counts itself. */
  readers = 0;

  /**
   * @param limit in bytes
   * @param largestWindow the most that one reader reads ahead, in bytes
   */
  constructor(limit: number, largestWindow: number) {
    this.#limit = limit;
    this.#largestWindow = largestWindow;
  }

  /** How far ahead each reader may read now: together they never use more than half of the limit. */
  window(): number {
    const share = this.#limit / 2 / Math.max(1, this.readers);
    return Math.max(SMALLEST_WINDOW, Math.min(this.#largestWindow, Math.floor(share)));
  }

  add(block: Block): void {
    this.#blocks.add(block);
    this.used += block.bytes;
    for (const candidates of [this.#spent, this.#blocks]) {
      for (const old of candidates) {
        if (this.used <= this.#limit) return;
        if (old !== block) this.#evict(old);
      }
    }
  }

  /** A block was read; `isSpent` if to its end. */
  use(block: Block, isSpent: boolean): void {
    if (!this.#drop(block)) return;
    if (!isSpent) {
      this.#blocks.add(block);
      return;
    }
    this.#spent.add(block);
    this.#spentBytes += block.bytes;
    for (const old of this.#spent) {
      if (this.#spentBytes <= SPENT_KEPT) return;
      if (old !== block) this.#evict(old);
    }
  }

  remove(block: Block): void {
    if (this.#drop(block)) this.used -= block.bytes;
  }

  /** Evicts it, unless a reader waits for it. */
  #evict(block: Block): void {
    if (block.isNeeded()) return;
    this.remove(block);
    block.evict();
  }

  /** Takes it out of its list; `false` if it is in none. */
  #drop(block: Block): boolean {
    const wasSpent = this.#spent.delete(block);
    if (wasSpent) this.#spentBytes -= block.bytes;
    return wasSpent || this.#blocks.delete(block);
  }
}
