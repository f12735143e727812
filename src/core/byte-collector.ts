import type { Writable } from 'node:stream';

const LEAST = 256;

/** Bytes that come in pieces, kept as one: many small pieces take no more room than their bytes. */
export class ByteCollector {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(length, this.#room.length * 2, LEAST));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  take(): Buffer {
    const bytes = this.#room.subarray(0, this.#length);
    this.#room = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}

/** Resolves when a stream takes more again, or has ended. */
export function drained(stream: Pick<Writable, 'on' | 'off' | 'destroyed'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    if (stream.destroyed) done();
  });
}
