import fs from 'node:fs';
import { promisify } from 'node:util';
import { giveBack } from '../../core/body.ts';
import { writeAll } from '../../system/file-bytes.ts';

const writev = promisify(fs.writev);

/** As `writeAll` for several buffers in a row, without copying them together. */
export async function writeGathered(
  fd: number,
  chunks: readonly Buffer[],
  position?: number,
): Promise<void> {
  const { bytesWritten } = await writev(fd, chunks, position);
  let before = 0;
  for (const chunk of chunks) {
    // The system may have accepted only a part.
    const from = Math.min(chunk.length, Math.max(0, bytesWritten - before));
    if (from < chunk.length) {
      const where = position === undefined ? undefined : position + before + from;
      await writeAll(fd, chunk.subarray(from), where);
    }
    before += chunk.length;
  }
}

/** How much of a stream is gathered before it is written, in bytes. */
const BATCH = 512 * 1024;

/** The chunks of a stream in groups of `BATCH` bytes or a little more, with their size; the last may have less. */
export async function* gather(
  body: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly chunks: readonly Buffer[]; readonly size: number }> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < BATCH) continue;
    yield { chunks, size };
    chunks = [];
    size = 0;
  }
  if (size > 0) yield { chunks, size };
}

/** Follows the writing of a stream. */
export interface Following {
  /** The next chunk has come. What this throws ends the writing. */
  readonly come: (chunk: Buffer) => void;
  /** `bytes` more are written, from `offset` of the file on. */
  readonly written?: ((offset: number, bytes: number) => void) | undefined;
}

/** Writes a stream from `position` on: one group is written while the next one arrives. Nothing is under way at the end. */
export async function writeBody(
  fd: number,
  body: AsyncIterable<Buffer>,
  position: number,
  following: Following,
): Promise<void> {
  let next = position;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { chunks, size } of gather(body)) {
      for (const chunk of chunks) following.come(chunk);
      await writing;
      const offset = next;
      next += size;
      writing = writeGathered(fd, chunks, offset).then(() => {
        for (const chunk of chunks) giveBack(chunk);
        following.written?.(offset, size);
      });
      writing.catch(() => undefined);
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
}
