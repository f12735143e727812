import { loadLibc } from './libc.ts';

/**
 * Copies up to `length` bytes from one open file to another, from `offset` on in both; resolves to how many, 0 at the
 * end.
 */
export type CopyRange = (
  from: number,
  to: number,
  offset: number,
  length: number,
) => Promise<number>;

const PARAMETERS = ['int', 'void *', 'int', 'void *', 'size_t', 'unsigned int'];

/**
 * Linux's `copy_file_range`, with which the bytes do not pass through this process. Node has it only inside `copyFile`,
 * which nothing can stop: even the end of the process waits for it. `undefined` where it cannot be had. It rejects
 * where these two files cannot be copied so; nothing was copied then.
 */
export async function loadCopyRange(): Promise<CopyRange | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const call = (await loadLibc()).func('copy_file_range', 'int64', PARAMETERS);
    return (from, to, offset, length) =>
      new Promise((resolve, reject) => {
        const [read, written] = [
          BigInt64Array.of(BigInt(offset)),
          BigInt64Array.of(BigInt(offset)),
        ];
        const done = (error: unknown, copied: number | bigint) => {
          if (error !== null || copied < 0) reject(error ?? new Error('copy_file_range failed'));
          else resolve(Number(copied));
        };
        call.async(from, read, to, written, length, 0, done);
      });
  } catch {
    return undefined;
  }
}
