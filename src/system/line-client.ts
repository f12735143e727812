import { connect, type Socket } from 'node:net';
import { ERROR_RULES, SyncerError } from '../core/errors.ts';
import { type LineAnswer, splitLines } from './serve-lines.ts';

/** A connection to a control socket that `serveLines` serves. */
export class LineClient<Question extends object, Event extends { readonly event: string }> {
  readonly #socket: Socket;
  readonly #what: string;
  readonly #pending = new Map<number, Omit<PromiseWithResolvers<unknown>, 'promise'>>();
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #closed = Promise.withResolvers<void>();
  #number = 0;

  /** @param what the other side, in errors: `the hook server at /run/x` */
  constructor(socket: Socket, what: string) {
    this.#socket = socket;
    this.#what = what;
    const lines = splitLines(8 << 20);
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      try {
        for (const line of lines(piece)) this.#take(JSON.parse(line));
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(this.#gone());
      this.#pending.clear();
      this.#closed.resolve();
    });
  }

  /** Resolves when the connection is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Resolves to the result. Rejects with the error of the other side, or `no-answer`. */
  ask(question: Question): Promise<unknown> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(this.#gone());
        return;
      }
      this.#pending.set(number, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ number, ...question })}\n`);
    });
  }

  /** Calls `listener` for every event. @returns ends that */
  on(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(message: LineAnswer | Event): void {
    if ('event' in message) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    if ('error' in message) {
      // A server of another version may send no code, or another one.
      const code = Object.hasOwn(ERROR_RULES, message.code) ? message.code : 'other';
      pending?.reject(new SyncerError(code, message.error));
    } else pending?.resolve(message.result);
  }

  #gone(): SyncerError {
    return new SyncerError('no-answer', `${this.#what} closed the connection`);
  }
}

/** Connects to the socket at `path`. Rejects with the error of `missing` if nothing listens. */
export function connectLines(
  path: string,
  missing: (thrown: NodeJS.ErrnoException) => SyncerError,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const failed = (thrown: NodeJS.ErrnoException) => reject(missing(thrown));
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}
