import { loadLibc } from '../../native/libc.ts';

/**
 * Copies up to `length` bytes from one open file to another, from `offset` on in both; resolves to how many, 0 at the
 * end. It moves where the files stand: one call at a time for each.
 */
export type CopyRange = (
  from: number,
  to: number,
  offset: number,
  length: number,
) => Promise<number>;

/** `lseek`: from the beginning. */
const SEEK_SET = 0;

const PARAMETERS = ['int', 'void *', 'int', 'void *', 'size_t', 'unsigned int'];

/**
 * Linux's `copy_file_range`, with which the bytes do not pass through this process. Node has it only inside `copyFile`,
 * which nothing can stop: even the end of the process waits for it. `undefined` where it cannot be had. It rejects
 * where these two files cannot be copied so; nothing was copied then.
 */
export async function loadCopyRange(): Promise<CopyRange | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const libc = await loadLibc();
    const seek = libc.func('lseek', 'int64', ['int', 'int64', 'int']);
    const call = libc.func('copy_file_range', 'int64', PARAMETERS);
    return (from, to, offset, length) =>
      new Promise((resolve, reject) => {
        seek(from, offset, SEEK_SET);
        seek(to, offset, SEEK_SET);
        // No pointers: where the program ends meanwhile, the kernel would write to memory that is gone.
        call.async(from, null, to, null, length, 0, (error: unknown, copied: number | bigint) => {
          if (error !== null || copied < 0) reject(error ?? new Error('copy_file_range failed'));
          else resolve(Number(copied));
        });
      });
  } catch {
    return undefined;
  }
}
