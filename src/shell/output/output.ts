import { releaseBuffer } from '../../core/buffers.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { harmlessLines } from '../../core/shown-text.ts';

/** Standard output as data: names of any bytes, slow readers and closed pipes are handled. */
export interface Output {
  /**
   * Resolves when more may be written; does nothing once the pipe is closed. Bytes must not change before it resolves.
   * A string is text: on a terminal, its control characters other than tabs and line ends are made visible.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether it is a terminal that may be coloured (`NO_COLOR`, `TERM`, `--color` obeyed). */
  readonly colour: boolean;
  readonly isTerminal: boolean;
}

/** The part of standard output that `createOutput` needs. */
export interface OutputStream {
  write(chunk: Uint8Array, done: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Standard output that can be flushed. */
export interface BufferedOutput extends Output {
  /** Resolves when everything was written. */
  flush(): Promise<void>;
}

const BATCH_BYTES = 64 * 1024;
/** How long an interrupted run waits for a reader that takes nothing, in milliseconds. */
const STALL_MS = 500;
const DONE = Promise.resolve();

/** The width of the terminal that standard output is; `undefined` if it is none. */
export function windowColumns({ isTerminal }: Pick<Output, 'isTerminal'>): number | undefined {
  return isTerminal ? process.stdout.columns : undefined;
}

/** Whether an error of standard output or standard error means that its reader has closed it. */
export function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return ['EPIPE', 'ECONNRESET', 'EIO'].includes(error.code ?? '');
}

/**
 * Standard output as data: joins small writes, keeps the bytes of names, and makes writers wait for a slow reader. On a
 * terminal, strings are made harmless; bytes are not.
 *
 * @param onClosed Called once when the reader is gone (`syncer ls | head`) or writing fails; nothing is written
 * afterwards.
 * @param interruption Aborted by Ctrl-C: from then on no write waits for a reader that stands still.
 */
export function createOutput(
  stream: OutputStream,
  { colour, isTerminal }: Pick<Output, 'colour' | 'isTerminal'>,
  onClosed: (error: Error) => void,
  interruption: AbortSignal,
): BufferedOutput {
  let batch: Buffer[] = [];
  let batchBytes = 0;
  let closed = false;
  let scheduled = false;
  let writing = DONE;
  /** Writes that have begun; the promise of the last resolves after those of the others. */
  const pending = new Set<() => void>();
  let stalled: NodeJS.Timeout | undefined;

  const watchStall = () => {
    clearTimeout(stalled);
    if (!interruption.aborted || closed || pending.size === 0) return;
    stalled = setTimeout(() => {
      closed = true;
      for (const leave of pending) leave();
    }, STALL_MS);
  };
  interruption.addEventListener('abort', watchStall, { once: true });

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
      pending.add(resolve);
      stream.write(bytes, (error) => {
        parts.forEach(releaseBuffer);
        if (error) close(error);
        pending.delete(resolve);
        watchStall();
        void before.then(resolve);
      });
      watchStall();
    });
    return writing;
  };

  return {
    colour,
    isTerminal,
    write(data) {
      if (closed) return DONE;
      const bytes =
        typeof data === 'string'
          ? nameToBytes(isTerminal ? harmlessLines(data) : data)
          : Buffer.isBuffer(data)
            ? data
            : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      batch.push(bytes);
      batchBytes += bytes.length;
      if (batchBytes >= BATCH_BYTES) return writeOut();
      if (scheduled) return DONE;
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        void writeOut();
      });
      return DONE;
    },
    async flush() {
      await writeOut();
    },
  };
}
