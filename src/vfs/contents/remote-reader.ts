import { collectBody } from '../../core/body.ts';
import { releaseBuffer } from '../../core/buffers.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { BLOCK_SIZE, type Block, type BlockBudget } from './block-budget.ts';
import type { ContentsKit, FileReader, RequestBuffers } from './contents-kit.ts';
import { type ByteSink, Downloads } from './downloads.ts';
import { type ByteRange, RangeSet } from './range-set.ts';

/** Reads one version of a remote file through memory, for all its readers. */
export class RemoteReader implements FileReader {
  readonly #kit: ContentsKit;
  readonly #file: FileEntry;
  readonly #blocks: MemoryBlocks;
  readonly #downloads: Downloads;
  /** The content of a file whose size the remote does not report. */
  #whole: Buffer | undefined;

  constructor(kit: ContentsKit, file: FileEntry) {
    this.#kit = kit;
    this.#file = file;
    this.#blocks = new MemoryBlocks(Math.max(0, file.size), kit.budget, kit.buffers);
    this.#downloads = new Downloads(kit, file, this.#blocks);
  }

  /** In bytes; -1 while it is unknown. */
  get size(): number {
    return this.#whole?.length ?? this.#file.size;
  }

  /** At most `length` bytes; fewer only at the end. Rejects with the error of the remote. */
  async read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    if (this.#file.size < 0) {
      const open = () => this.#kit.remote.read(this.#file, undefined, op);
      // A copy: callers may reuse the memory.
      this.#whole ??= Buffer.from(await collectBody(await open(), op.signal));
      return this.#whole.subarray(offset, offset + length);
    }
    const end = Math.min(offset + length, this.#file.size);
    if (offset >= end) return new Uint8Array(0);
    return this.#blocks.keeping(offset, end, async () => {
      await this.#downloads.ensure(offset, end, op);
      return this.#blocks.read(offset, end);
    });
  }

  async close(): Promise<void> {
    this.#blocks.close();
    await this.#downloads.close();
  }
}

interface MemoryBlock extends Block {
  readonly buffer: Buffer;
}

/** The bytes of one remote file in memory, for readers without a disk cache. */
export class MemoryBlocks implements ByteSink {
  readonly #size: number;
  readonly #budget: BlockBudget;
  readonly #buffers: RequestBuffers;
  readonly #blocks = new Map<number, MemoryBlock>();
  readonly #ranges = new RangeSet();
  /** How many readers wait for each block. */
  readonly #needed = new Map<number, number>();
  #isClosed = false;

  /** @param size of the file, in bytes */
  constructor(size: number, budget: BlockBudget, buffers: RequestBuffers) {
    this.#size = size;
    this.#budget = budget;
    this.#buffers = buffers;
    budget.readers++;
  }

  gap(from: number, to: number): ByteRange | undefined {
    return this.#ranges.gap(from, Math.min(to, this.#size));
  }

  window(): number {
    return this.#budget.window();
  }

  async put(offset: number, chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.length && !this.#isClosed; ) {
      const at = offset + done;
      const block = this.#blockAt(Math.floor(at / BLOCK_SIZE));
      const inBlock = at % BLOCK_SIZE;
      const count = Math.min(chunk.length - done, block.bytes - inBlock);
      if (count <= 0) return;
      block.buffer.set(chunk.subarray(done, done + count), inBlock);
      this.#ranges.add(at, at + count);
      done += count;
    }
  }

  /** Keeps these bytes while `work` waits for them. */
  async keeping<T>(from: number, to: number, work: () => Promise<T>): Promise<T> {
    const count = (by: number) => {
      for (let i = Math.floor(from / BLOCK_SIZE); i * BLOCK_SIZE < to; i++) {
        const now = (this.#needed.get(i) ?? 0) + by;
        if (now === 0) this.#needed.delete(i);
        else this.#needed.set(i, now);
      }
    };
    count(1);
    try {
      return await work();
    } finally {
      count(-1);
    }
  }

  /** A copy of bytes: the block may get other content at any time. Return it with `releaseBuffer`. */
  read(from: number, to: number): Buffer {
    const bytes = this.#buffers.take(to - from);
    for (let at = from; at < to; ) {
      const index = Math.floor(at / BLOCK_SIZE);
      const block = this.#blockAt(index);
      const end = Math.min(to, index * BLOCK_SIZE + block.bytes);
      block.buffer.copy(bytes, at - from, at % BLOCK_SIZE, end - index * BLOCK_SIZE);
      this.#budget.use(block, end === index * BLOCK_SIZE + block.bytes);
      at = end;
    }
    return bytes;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#budget.readers--;
    for (const block of this.#blocks.values()) {
      this.#budget.remove(block);
      releaseBuffer(block.buffer);
    }
    this.#blocks.clear();
    this.#ranges.remove(0, this.#size);
  }

  #blockAt(index: number): MemoryBlock {
    const found = this.#blocks.get(index);
    if (found !== undefined) return found;
    const begin = index * BLOCK_SIZE;
    const bytes = Math.max(0, Math.min(BLOCK_SIZE, this.#size - begin));
    const block: MemoryBlock = {
      bytes,
      // Small files take what they need, and no more.
      buffer: bytes === BLOCK_SIZE ? this.#budget.memory.take() : Buffer.allocUnsafeSlow(bytes),
      isNeeded: () => this.#needed.has(index),
      evict: () => {
        this.#blocks.delete(index);
        this.#ranges.remove(begin, begin + bytes);
        releaseBuffer(block.buffer);
      },
    };
    this.#blocks.set(index, block);
    this.#budget.add(block);
    return block;
  }
}
