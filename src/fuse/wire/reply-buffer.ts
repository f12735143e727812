import { nameToBytes } from '../../core/name-bytes.ts';

/** Bytes of `struct fuse_out_header`, the start of every response. */
export const REPLY_HEADER = 16;

/** A buffer that is filled with one response after the other. Positions count from the end of the header. */
export class ReplyBuffer {
  #buffer: Buffer;
  #view: DataView;

  constructor(size = 4096) {
    this.#buffer = Buffer.alloc(size + REPLY_HEADER);
    this.#view = viewOf(this.#buffer);
  }

  /** Makes room for `size` bytes after the header; the old content is lost. */
  reserve(size: number): void {
    if (this.#buffer.length >= size + REPLY_HEADER) return;
    this.#buffer = Buffer.alloc(size + REPLY_HEADER);
    this.#view = viewOf(this.#buffer);
  }

  u16(at: number, value: number): void {
    this.#view.setUint16(REPLY_HEADER + at, value, true);
  }

  u32(at: number, value: number): void {
    this.#view.setUint32(REPLY_HEADER + at, value, true);
  }

  /** A whole number of up to 53 bits; negative ones as two's complement. */
  u64(at: number, value: number): void {
    this.#view.setUint32(REPLY_HEADER + at, value, true);
    this.#view.setUint32(REPLY_HEADER + at + 4, Math.floor(value / 0x1_0000_0000), true);
  }

  zero(at: number, length: number): void {
    this.#buffer.fill(0, REPLY_HEADER + at, REPLY_HEADER + at + length);
  }

  /** Writes a name; returns the number of its bytes, -1 if it does not fit below `limit`. */
  name(at: number, name: string, limit: number): number {
    const start = REPLY_HEADER + at;
    if (at + name.length > limit) return -1;
    for (let i = 0; i < name.length; i++) {
      const unit = name.charCodeAt(i);
      if (unit > 0x7f) return this.#wideName(start, name, REPLY_HEADER + limit);
      this.#buffer[start + i] = unit;
    }
    return name.length;
  }

  #wideName(start: number, name: string, end: number): number {
    const bytes = nameToBytes(name);
    if (start + bytes.length > end) return -1;
    this.#buffer.set(bytes, start);
    return bytes.length;
  }

  /**
   * The response with its header: valid until the next one is started.
   *
   * @param length bytes after the header in this buffer
   * @param more bytes that are sent after them from elsewhere
   * @param error an errno, 0 for success; for a notification its negated code
   */
  finish(unique: number, length: number, more = 0, error = 0): Buffer {
    this.#view.setUint32(0, REPLY_HEADER + length + more, true);
    this.#view.setInt32(4, -error, true);
    this.u64(8 - REPLY_HEADER, unique);
    return this.#buffer.subarray(0, REPLY_HEADER + length);
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}
