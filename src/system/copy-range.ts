import { readAll, writeAll } from './file-bytes.ts';
import { loadLibc } from './libc.ts';

/** How much the kernel copies in one call, in bytes: a copy can be stopped only between two calls. */
export const COPY_PIECE = 32 * 1024 * 1024;
/** How much is read at a time if the kernel does not copy, in bytes. */
const CHUNK = 1024 * 1024;

/**
 * Copies up to `length` bytes at `offset` to `at`, which is `offset` where absent; resolves to how many, 0 at the end.
 * One call at a time: it seeks.
 */
export type CopyRange = (
  from: number,
  to: number,
  offset: number,
  length: number,
  at?: number,
) => Promise<number>;

/**
 * Linux's `copy_file_range`, which shares blocks where the file system can. Node has it only in `copyFile`, which
 * cannot be stopped and delays the end of the process. `undefined` if it is not available. Rejects, with nothing
 * copied, if these two files cannot be copied so.
 */
export async function loadCopyRange(): Promise<CopyRange | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const libc = await loadLibc();
    const seek = libc.func('lseek', 'int64', ['int', 'int64', 'int']);
    const parameters = ['int', 'void *', 'int', 'void *', 'size_t', 'unsigned int'];
    const call = libc.func('copy_file_range', 'int64', parameters);
    return (from, to, offset, length, at = offset) =>
      new Promise((resolve, reject) => {
        // From the start.
        seek(from, offset, 0);
        seek(to, at, 0);
        // No pointers: if the program ends, the kernel would write to memory that was freed.
        call.async(from, null, to, null, length, 0, (error: unknown, copied: number | bigint) => {
          if (error !== null || copied < 0) reject(error ?? new Error('copy_file_range failed'));
          else resolve(Number(copied));
        });
      });
  } catch {
    return undefined;
  }
}

/** A position in an open file. */
export interface FilePosition {
  readonly fd: number;
  readonly offset: number;
}

/**
 * Copies `length` bytes from one open file to another, in the kernel if `copyRange` is given and can. Resolves to how
 * many: less only at the end of the source. Rejects as `fs` does.
 */
export async function copyBytes(
  from: FilePosition,
  to: FilePosition,
  length: number,
  copyRange: CopyRange | undefined,
): Promise<number> {
  let done = 0;
  try {
    while (copyRange !== undefined && done < length) {
      const piece = Math.min(COPY_PIECE, length - done);
      const copied = await copyRange(from.fd, to.fd, from.offset + done, piece, to.offset + done);
      // The source ends here, or the kernel cannot copy it and does not report that: reading finds out.
      if (copied <= 0) break;
      done += copied;
    }
  } catch {
    // These two files are read and written.
  }
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK, length - done));
  while (done < length) {
    const block = await readAll(from.fd, chunk.subarray(0, length - done), from.offset + done);
    if (block.length === 0) break;
    await writeAll(to.fd, block, to.offset + done);
    done += block.length;
  }
  return done;
}
