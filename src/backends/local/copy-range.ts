import { loadLibc } from '../../native/libc.ts';

/**
 * Copies up to `length` bytes between open files, at `offset` in both; resolves to how many, 0 at the end. It moves
 * the files' positions: one call at a time.
 */
export type CopyRange = (
  from: number,
  to: number,
  offset: number,
  length: number,
) => Promise<number>;

/** `lseek`: from the start. */
const SEEK_SET = 0;

const PARAMETERS = ['int', 'void *', 'int', 'void *', 'size_t', 'unsigned int'];

/**
 * Linux's `copy_file_range`. Node has it only in `copyFile`, which cannot be stopped and delays the end of the
 * process. `undefined` if it is not available. Rejects, with nothing copied, if these two files cannot be copied so.
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
