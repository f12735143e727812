import { collectBody } from '../../core/body.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { type ContentsKit, downloadsOf } from './contents-kit.ts';
import type { Downloads } from './downloads.ts';
import { MemoryBlocks } from './memory-blocks.ts';

/** Reads one version of a remote file through memory, for all who have it open. */
export class RemoteReader {
  readonly #kit: ContentsKit;
  readonly #file: FileEntry;
  readonly #blocks: MemoryBlocks;
  readonly #downloads: Downloads;
  /** The content of a file whose size the remote does not know. */
  #whole: Buffer | undefined;

  constructor(kit: ContentsKit, file: FileEntry) {
    this.#kit = kit;
    this.#file = file;
    this.#blocks = new MemoryBlocks(Math.max(0, file.size), kit.budget, kit.buffers);
    this.#downloads = downloadsOf(kit, file, this.#blocks);
  }

  /** In bytes; -1 as long as it is not known. */
  get size(): number {
    return this.#whole?.length ?? this.#file.size;
  }

  /** At most `length` bytes; fewer only at the end. Rejects with what the remote says. */
  async read(offset: number, length: number, op: Op): Promise<Uint8Array> {
    if (this.#file.size < 0) {
      this.#whole ??= await this.#readWhole(op);
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

  async #readWhole(op: Op): Promise<Buffer> {
    const body = await this.#kit.remote.read(this.#file, undefined, op);
    // A copy: parts of it are given to those who do not know that it stays.
    return Buffer.from(await collectBody(body, op.signal));
  }
}
