import { SyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { encodingOf, fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';

/** Bytes of `struct fuse_in_header`, the start of every request. */
const HEADER = 40;

/** Reads one request in the buffer it was received in. Positions count from the end of the header. */
export class RequestReader {
  /** The buffer that the next request is read into. */
  readonly buffer: Buffer;
  readonly #view: DataView;
  #end = 0;

  /** @param size of the buffer, in bytes: the largest write and a page */
  constructor(size: number) {
    this.buffer = Buffer.allocUnsafeSlow(size);
    this.#view = new DataView(this.buffer.buffer, this.buffer.byteOffset, size);
  }

  /** Sets the length of the request in the buffer; `false` if it is not complete. */
  begin(length: number): boolean {
    this.#end = length;
    return length >= HEADER && this.#view.getUint32(0, true) === length;
  }

  get opcode(): number {
    return this.#view.getUint32(4, true);
  }

  /** The number that the response repeats. */
  get unique(): number {
    return this.u64(8 - HEADER);
  }

  get node(): number {
    return this.u64(16 - HEADER);
  }

  get uid(): number {
    return this.#view.getUint32(24, true);
  }

  /** The calling thread; 0 if it is in another PID namespace. */
  get thread(): number {
    return this.#view.getUint32(32, true);
  }

  u32(at: number): number {
    return this.#view.getUint32(HEADER + at, true);
  }

  /** A 64-bit number below 2^53, as all sizes, offsets, handles and inodes are. */
  u64(at: number): number {
    const low = this.#view.getUint32(HEADER + at, true);
    return this.#view.getUint32(HEADER + at + 4, true) * 0x1_0000_0000 + low;
  }

  /** The size of a file, or an offset for a write. Throws `too-large` for 2^53 and more. */
  size(at: number): number {
    const size = this.u64(at);
    if (Number.isSafeInteger(size)) return size;
    throw new SyncerError('too-large', 'file size out of range');
  }

  i64(at: number): bigint {
    return this.#view.getBigInt64(HEADER + at, true);
  }

  /** The bytes themselves, not a copy. */
  bytes(at: number, length: number): Uint8Array {
    return this.buffer.subarray(HEADER + at, Math.min(HEADER + at + length, this.#end));
  }

  /** The end of the name that starts at `at`: the position of its zero. */
  nameEnd(at: number): number {
    const found = this.buffer.indexOf(0, HEADER + at);
    return (found < 0 || found > this.#end ? this.#end : found) - HEADER;
  }

  /** The name that starts at `at` and ends with a zero, in the form of paths. */
  name(at: number): string {
    const start = HEADER + at;
    const end = HEADER + this.nameEnd(at);
    for (let i = start; i < end; i++) {
      const byte = this.buffer[i] as number;
      if (byte < 0x20 || byte >= 0x7f) {
        return nameFromKernel(nameFromBytes(this.buffer.subarray(start, end)));
      }
    }
    return this.buffer.toString('latin1', start, end);
  }
}

/** Opcodes of requests: `enum fuse_opcode` of linux/fuse.h, as far as they are supported. */
export const OPCODE = {
  lookup: 1,
  forget: 2,
  getAttributes: 3,
  setAttributes: 4,
  readLink: 5,
  symlink: 6,
  makeNode: 8,
  makeDir: 9,
  unlink: 10,
  removeDir: 11,
  rename: 12,
  link: 13,
  open: 14,
  read: 15,
  write: 16,
  statFs: 17,
  release: 18,
  sync: 20,
  setXattr: 21,
  getXattr: 22,
  listXattr: 23,
  removeXattr: 24,
  flush: 25,
  init: 26,
  openDir: 27,
  readDir: 28,
  releaseDir: 29,
  syncDir: 30,
  access: 34,
  create: 35,
  interrupt: 36,
  destroy: 38,
  batchForget: 42,
  readDirPlus: 44,
  rename2: 45,
} as const;

/** The name of an opcode for the log. */
export function opcodeName(opcode: number): string {
  const found = Object.entries(OPCODE).find(([, value]) => value === opcode);
  return found?.[0] ?? `opcode ${opcode}`;
}

/**
 * Characters that no name of the kernel has: a slash, and the names `.` and `..`; no backend supports a zero byte
 * either.
 */
const KERNEL = encodingOf(['Slash', 'Dot']);

/** A name from the kernel in the form of paths, with look-alikes for control characters. */
export const nameFromKernel = (name: string): string => toStandardPath(KERNEL, name);

/** A name as programs on the mount see it: with real control characters. */
export const nameToKernel = (name: string): string => fromStandardPath(KERNEL, name);
