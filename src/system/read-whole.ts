import fs, { type PathLike } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface ReadLimits {
  /** A larger file is refused. */
  readonly mostBytes: number;
  /** Ends the wait for a pipe or a terminal. */
  readonly signal?: AbortSignal | undefined;
}

// Without `O_NONBLOCK`, opening a pipe would wait for its other side, and nothing could end that.
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

/**
 * The bytes of a file that the user named. Pipes and terminals are read to their end, without keeping the process
 * alive; devices, which may never end, are refused, except for the null device, which is empty. Rejects with Node's
 * errors, with a similar one whose message says why the file is refused, and with the signal's reason.
 */
export async function readWhole(path: string, limits: ReadLimits): Promise<Buffer> {
  const fd = fs.openSync(path, FLAGS);
  let isOurs = true;
  try {
    const stats = fs.fstatSync(fd);
    if (stats.isCharacterDevice() && stats.rdev === fs.statSync('/dev/null').rdev) {
      return Buffer.alloc(0);
    }
    if (stats.isFIFO() || stats.isCharacterDevice()) {
      let stream: Readable;
      if (stats.isFIFO()) {
        const { Socket } = await import('node:net');
        stream = new Socket({ fd, readable: true, writable: false });
      } else {
        const { isatty, ReadStream } = await import('node:tty');
        if (!isatty(fd)) throw refused('ENODEV', 'it is a device');
        stream = new ReadStream(fd);
      }
      isOurs = false;
      return await readStream(stream, limits);
    }
    if (stats.isBlockDevice()) throw refused('ENODEV', 'it is a device');
    if (stats.size > limits.mostBytes) throw tooLarge(limits);
    // Files of `/proc` have size 0, and a file may grow: reads until the end.
    const chunks: Buffer[] = [];
    let total = 0;
    for (let room = stats.size + 1; ; room = 64 * 1024) {
      const chunk = Buffer.allocUnsafe(room);
      const got = fs.readSync(fd, chunk);
      if (got === 0) return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      total += got;
      if (total > limits.mostBytes) throw tooLarge(limits);
      chunks.push(chunk.subarray(0, got));
    }
  } finally {
    if (isOurs) fs.closeSync(fd);
  }
}

async function readStream(stream: Readable, limits: ReadLimits): Promise<Buffer> {
  const { signal } = limits;
  const stop = () => stream.destroy(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.mostBytes) throw tooLarge(limits);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
}

function tooLarge({ mostBytes }: ReadLimits): Error {
  return refused('EFBIG', `it is larger than ${Math.floor(mostBytes / 1024 ** 2)} MiB`);
}

function refused(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * The bytes of a file that may not be a pipe or a device. Rejects with an error of the file system, or a similar one.
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Opens a file for reading that may not be a pipe or a device. Rejects as `readRegularFile`. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  try {
    refuseIrregular(await file.stat());
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** As `readRegularFile`, synchronously. */
export function readRegularFileSync(path: PathLike): Buffer {
  const fd = fs.openSync(path, FLAGS);
  try {
    refuseIrregular(fs.fstatSync(fd));
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The system itself reports reading a directory. */
function refuseIrregular(stats: fs.Stats): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw refused('ENODEV', 'it is not a regular file');
}
