/** Copies up to `length` bytes from one open file to another, each where it stands; resolves to how many, 0 at the end. */
export type CopyRange = (from: number, to: number, length: number) => Promise<number>;

/** What is used of koffi. */
interface Koffi {
  load(library: null): {
    func(name: string, result: string, parameters: readonly string[]): CFunction;
  };
}

interface CFunction {
  async(...args: unknown[]): void;
}

const PARAMETERS = ['int', 'void *', 'int', 'void *', 'size_t', 'unsigned int'];

/**
 * Linux's `copy_file_range`, with which the bytes do not pass through this process. Node has it only inside `copyFile`,
 * which nothing can stop: even the end of the process waits for it. `undefined` where it cannot be had. It rejects
 * where these two files cannot be copied so; nothing was copied then.
 */
export async function loadCopyRange(): Promise<CopyRange | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    // Not a literal: bundlers must leave a package with native parts where it is.
    const name = 'koffi';
    const { default: koffi } = (await import(name)) as { default: Koffi };
    const call = koffi.load(null).func('copy_file_range', 'int64', PARAMETERS);
    return (from, to, length) =>
      new Promise((resolve, reject) => {
        call.async(from, null, to, null, length, 0, (error: unknown, copied: number | bigint) => {
          if (error !== null || copied < 0) reject(error ?? new Error('copy_file_range failed'));
          else resolve(Number(copied));
        });
      });
  } catch {
    return undefined;
  }
}
