import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { SocketReader } from './socket-reader.ts';

/** One piece of memory that all connections are read into: each takes what it got before the next is read. */
const READ_BYTES = 64 << 10;

/** A connection that is open already, and what reads it. */
export interface OpenedConnection {
  readonly socket: Socket;
  readonly reader: SocketReader;
}

/** Opens connections by their descriptors, which belong to them from then on. */
export class ConnectionOpener {
  readonly #memory = new Uint8Array(READ_BYTES);

  /** Opens one; `undefined` where it is of no use any more, and closed then. */
  open(fd: number): OpenedConnection | undefined {
    let reader: SocketReader | undefined;
    const callback = (length: number, memory: Uint8Array) =>
      reader?.push(Buffer.from(memory.subarray(0, length))) ?? false;
    const onread = { buffer: this.#memory, callback };
    try {
      const socket = new Socket({ fd, allowHalfOpen: true, onread } as object);
      reader = new SocketReader(socket);
      return { socket, reader };
    } catch {
      closeSync(fd);
      return undefined;
    }
  }
}
