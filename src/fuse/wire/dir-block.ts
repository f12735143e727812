import type { ListedEntry } from '../../vfs/mount-ops.ts';
import { ENTRY_SIZE, KIND_BITS, writeEntry } from './attributes.ts';
import type { ReplyBuffer } from './reply-buffer.ts';
import { nameToKernel } from './request-reader.ts';

/** Bytes of `struct fuse_dirent` before the name. */
const DIRENT = 24;

/** The block of directory entries in a response to READDIR or READDIRPLUS. */
export class DirBlock {
  readonly #to: ReplyBuffer;
  readonly #limit: number;
  readonly #plus: boolean;
  readonly #validMs: number;
  /** Bytes written so far. */
  length = 0;

  /** @param limit the kernel's buffer size, in bytes */
  constructor(to: ReplyBuffer, limit: number, plus: boolean, validMs: number) {
    to.reserve(limit);
    this.#to = to;
    this.#limit = limit;
    this.#plus = plus;
    this.#validMs = validMs;
  }

  /**
   * Adds an entry; `next` is the position after it. `false` if it does not fit. Omits rough attributes: the kernel
   * requests them.
   */
  add({ name, attributes, isRough }: ListedEntry, next: number): boolean {
    const head = this.#plus ? ENTRY_SIZE : 0;
    const shown = nameToKernel(name);
    const kind = KIND_BITS[attributes.kind];
    if (!this.#addName(shown, attributes.inode, kind, next, head)) return false;
    if (this.#plus && isRough) this.#to.zero(this.#last, ENTRY_SIZE);
    else if (this.#plus) writeEntry(this.#to, this.#last, attributes, this.#validMs);
    return true;
  }

  /** Adds `.` or `..`, which count no lookup and have no attributes. */
  addDots(name: '.' | '..', inode: number, next: number): boolean {
    const head = this.#plus ? ENTRY_SIZE : 0;
    if (!this.#addName(name, inode, KIND_BITS.dir, next, head)) return false;
    if (this.#plus) this.#to.zero(this.#last, ENTRY_SIZE);
    return true;
  }

  #last = 0;

  #addName(name: string, inode: number, kind: number, next: number, head: number): boolean {
    const at = this.length + head;
    const bytes = this.#to.name(at + DIRENT, name, this.#limit);
    if (bytes < 0) return false;
    const end = at + ((DIRENT + bytes + 7) & ~7);
    if (end > this.#limit) return false;
    this.#to.u64(at, inode);
    this.#to.u64(at + 8, next);
    this.#to.u32(at + 16, bytes);
    this.#to.u32(at + 20, kind >>> 12);
    this.#to.zero(at + DIRENT + bytes, end - at - DIRENT - bytes);
    this.#last = this.length;
    this.length = end;
    return true;
  }
}
