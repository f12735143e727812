import { harmlessLines } from '../../core/harmless.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { giveBack } from '../../kit/used-again.ts';
import type { Output } from '../command.ts';

/** What `createOutput` needs of standard output. */
export interface OutputStream {
  write(chunk: Uint8Array, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Standard output with what the program does at its end. */
export interface BufferedOutput extends Output {
  /** Resolves when all that was written has been handed on. */
  flush(): Promise<void>;
}

/** How much is collected before it is written. */
const BATCH_BYTES = 64 * 1024;

const DONE = Promise.resolve();

/** Whether an error of standard output or standard error says that nobody reads it any more. */
export function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return ['EPIPE', 'ECONNRESET', 'EIO'].includes(error.code ?? '');
}

/**
 * Standard output as data: small writes are joined, strings are written with their names' own bytes, and a
 * writer waits while the reader is slow. On a terminal strings come without what it would obey, bytes as they are.
 *
 * @param onClosed Called once when the reader has gone (`syncer ls | head`), or nothing more can be written; from then
 *   on nothing is.
 */
export function createOutput(
  stream: OutputStream,
  { colour, isTerminal }: Pick<Output, 'colour' | 'isTerminal'>,
  onClosed: (error: Error) => void,
): BufferedOutput {
  let batch: Buffer[] = [];
  let batchBytes = 0;
  let closed = false;
  let scheduled = false;
  let writing = DONE;

  const close = (error: Error) => {
    if (closed) return;
    closed = true;
    onClosed(error);
  };
  stream.on('error', close);

  const writeOut = (): Promise<void> => {
    if (batchBytes === 0) return writing;
    const parts = batch;
    const [only] = parts;
    const bytes =
      parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, batchBytes);
    batch = [];
    batchBytes = 0;
    const before = writing;
    writing = new Promise((resolve) => {
      if (closed) return resolve();
      stream.write(bytes, (error) => {
        parts.forEach(giveBack);
        if (error) close(error);
        void before.then(resolve);
      });
    });
    return writing;
  };

  const toBytes = (text: string) => nameToBytes(isTerminal ? harmlessLines(text) : text);
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void writeOut();
    });
  };

  return {
    colour,
    isTerminal,
    write(data) {
      if (closed) return DONE;
      const bytes = typeof data === 'string' ? toBytes(data) : asBuffer(data);
      batch.push(bytes);
      batchBytes += bytes.length;
      if (batchBytes >= BATCH_BYTES) return writeOut();
      schedule();
      return DONE;
    },
    async flush() {
      await writeOut();
    },
  };
}

/** The same memory as a Buffer. */
function asBuffer(data: Uint8Array): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
