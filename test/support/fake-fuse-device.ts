import type { Device } from '../../src/fuse/device/fuse-device.ts';
import { OPCODE } from '../../src/fuse/wire/request-reader.ts';

/** An answer or notification as the kernel would get it. */
export interface SentMessage {
  readonly unique: number;
  /** An errno, 0 for success. */
  readonly error: number;
  readonly body: Buffer;
}

/** The kernel's end of a mount, for tests. */
export interface FakeKernel {
  readonly device: Device;
  /** Sends a request; resolves to its answer. */
  ask(opcode: keyof typeof OPCODE | number, node: number, body?: Uint8Array): Promise<SentMessage>;
  /** Sends a request that has no answer, or whose answer is not wanted; gives its number. */
  tell(opcode: keyof typeof OPCODE, node: number, body?: Uint8Array): number;
  /** The answer to a request, whenever it comes. */
  answerTo(unique: number): Promise<SentMessage>;
  /** Answers to these requests are refused, as of a program that has gone. */
  readonly refused: Set<number>;
  /** All notifications. */
  readonly notified: SentMessage[];
  /** Unmounts. */
  unmount(): void;
  readonly isClosed: () => boolean;
}

/** A device whose kernel is the test. */
export function fakeKernel(uid = 0): FakeKernel {
  const queue: Buffer[] = [];
  const answers = new Map<number, PromiseWithResolvers<SentMessage>>();
  const refused = new Set<number>();
  const notified: SentMessage[] = [];
  let wake = Promise.withResolvers<void>();
  let isGone = false;
  let isClosed = false;
  let last = 0;

  const answerTo = (unique: number) => {
    const known = answers.get(unique) ?? Promise.withResolvers<SentMessage>();
    answers.set(unique, known);
    return known.promise;
  };
  const arrive = (message: Buffer) => {
    const unique = Number(message.readBigUInt64LE(8));
    if (message.readUInt32LE(0) !== message.length) throw new Error('wrong length in the answer');
    const sent = {
      unique,
      error: 0 - message.readInt32LE(4),
      body: Buffer.from(message.subarray(16)),
    };
    if (unique === 0) notified.push(sent);
    else if (refused.has(unique)) return false;
    else {
      void answerTo(unique);
      answers.get(unique)?.resolve(sent);
    }
    return true;
  };
  const tell: FakeKernel['tell'] = (opcode, node, body) => send(OPCODE[opcode], node, body);
  const send = (opcode: number, node: number, body: Uint8Array = Buffer.alloc(0)) => {
    const head = Buffer.alloc(40);
    last += 2;
    head.writeUInt32LE(40 + body.length, 0);
    head.writeUInt32LE(opcode, 4);
    head.writeBigUInt64LE(BigInt(last), 8);
    head.writeBigUInt64LE(BigInt(node), 16);
    head.writeUInt32LE(uid, 24);
    queue.push(Buffer.concat([head, body]));
    wake.resolve();
    return last;
  };
  return {
    refused,
    notified,
    answerTo,
    tell,
    ask: (opcode, node, body) =>
      answerTo(send(typeof opcode === 'number' ? opcode : OPCODE[opcode], node, body)),
    unmount: () => {
      isGone = true;
      wake.resolve();
    },
    isClosed: () => isClosed,
    device: {
      read: (into) => {
        if (isGone) return -1;
        const request = queue.shift();
        if (request === undefined) return 0;
        into.set(request);
        return request.length;
      },
      write: (message) => arrive(Buffer.from(message)),
      writeParts: (head, body) => arrive(Buffer.concat([head, body])),
      notify: async (message) => void arrive(Buffer.from(message)),
      waitBriefly: () => queue.length > 0,
      wait: async () => {
        if (queue.length === 0 && !isGone) await wake.promise;
        wake = Promise.withResolvers();
      },
      close: () => {
        isClosed = true;
      },
    },
  };
}

/** Bytes from numbers of 32 bits (`number`), of 64 bits (`bigint`) and names, which end with a zero. */
export function packed(...parts: readonly (number | bigint | string)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`);
      const bytes = Buffer.alloc(typeof part === 'bigint' ? 8 : 4);
      if (typeof part === 'bigint') bytes.writeBigUInt64LE(part);
      else bytes.writeUInt32LE(part >>> 0);
      return bytes;
    }),
  );
}
