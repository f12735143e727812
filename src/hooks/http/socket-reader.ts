import type { Socket } from 'node:net';

/** So much may come before anybody asks for it. */
const MAX_HELD = 64 << 10;

/** Reads a connection piece by piece; what nobody asks for stays with the kernel, so that a sender is held back. */
export class SocketReader {
  readonly #socket: Socket;
  #buffers: Buffer[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    const finish = () => {
      this.#ended = true;
      this.#awaken();
    };
    socket.on('end', finish);
    socket.on('close', finish);
  }

  /** Takes what came. Whether more is wanted now. */
  push(chunk: Buffer): boolean {
    this.#buffers.push(chunk);
    const isWaitedFor = this.#wake !== undefined;
    this.#awaken();
    return isWaitedFor || this.#held() <= MAX_HELD;
  }

  /** The next bytes, `undefined` at the end. */
  async read(): Promise<Buffer | undefined> {
    while (this.#buffers.length === 0) {
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#socket.resume();
      });
    }
    return this.#buffers.shift();
  }

  /** Something has come that nobody has read. */
  get hasBytes(): boolean {
    return this.#buffers.length > 0;
  }

  /** Gives bytes back that were read too far. */
  unread(bytes: Buffer): void {
    if (bytes.length > 0) this.#buffers.unshift(bytes);
  }

  /** So many bytes, where they have come in one piece; else nothing is taken. */
  takeAtHand(length: number): Buffer | undefined {
    const [first] = this.#buffers;
    if (first === undefined || first.length < length) return undefined;
    this.#buffers.shift();
    if (first.length === length) return first;
    this.unread(first.subarray(length));
    return first.subarray(0, length);
  }

  /** A head that is there whole already, without the empty line at its end. */
  headAtHand(maxBytes: number): Buffer | undefined {
    const [first] = this.#buffers;
    if (first === undefined || first[0] === 0x0d || first[0] === 0x0a) return undefined;
    const end = headEnd(first, 0);
    if (end === undefined || end.at > maxBytes) return undefined;
    this.#buffers.shift();
    this.unread(first.subarray(end.next));
    return first.subarray(0, end.at);
  }

  /** Everything up to the first empty line, without it; `undefined` where the connection ended before it came. */
  async readHead(maxBytes: number): Promise<Buffer | 'too-large' | undefined> {
    let head: Buffer = Buffer.alloc(0);
    while (true) {
      const chunk = await this.read();
      if (chunk === undefined) return undefined;
      const from = Math.max(0, head.length - 3);
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (from === 0) head = withoutEmptyLines(head);
      const end = headEnd(head, from);
      if (end !== undefined) {
        this.unread(head.subarray(end.next));
        return end.at > maxBytes ? 'too-large' : head.subarray(0, end.at);
      }
      if (head.length > maxBytes) return 'too-large';
    }
  }

  /** One line with its line feed, as latin1; `undefined` where it does not come or is longer than `maxBytes`. */
  async readLine(maxBytes: number): Promise<string | undefined> {
    let line = '';
    while (line.length <= maxBytes) {
      const chunk = await this.read();
      if (chunk === undefined) return undefined;
      const end = chunk.indexOf(0x0a);
      line += chunk.toString('latin1', 0, end < 0 ? maxBytes + 1 : end + 1);
      if (end < 0) continue;
      this.unread(chunk.subarray(end + 1));
      return line.length > maxBytes ? undefined : line;
    }
    return undefined;
  }

  #held(): number {
    return this.#buffers.reduce((sum, { length }) => sum + length, 0);
  }

  #awaken(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/** Some clients send a line break behind a body that does not belong to it. */
function withoutEmptyLines(head: Buffer): Buffer {
  let at = 0;
  while (head[at] === 0x0d || head[at] === 0x0a) at++;
  return head.subarray(at);
}

/** A line feed without a carriage return ends the head, too, and stays in it: the parser refuses it. */
function headEnd(head: Buffer, from: number): { at: number; next: number } | undefined {
  for (let at = head.indexOf(0x0a, from); at >= 0; at = head.indexOf(0x0a, at + 1)) {
    if (head[at - 1] !== 0x0d) return { at: at + 1, next: at + 1 };
    if (head[at + 1] === 0x0d && head[at + 2] === 0x0a) return { at: at - 1, next: at + 3 };
    if (head[at + 1] === 0x0a) return { at: at + 2, next: at + 2 };
  }
  return undefined;
}
