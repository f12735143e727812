import { loadKoffi } from './load-koffi.ts';

/** A function of the C library. */
export interface CFunction {
  (...args: unknown[]): number | bigint;
  /** Calls it in another thread; the last argument takes an error or the result. */
  async(...args: unknown[]): void;
}

/** The C library of this process. */
export interface Libc {
  /** A function by its name, with the C types of its result and its parameters. */
  func(name: string, result: string, parameters: readonly string[]): CFunction;
  /** `errno` after a call that failed; to be read before anything else is called. */
  errno(): number;
  /** Where the bytes lie in memory: they must be kept from the garbage collector until they are used no more. */
  address(bytes: Uint8Array): bigint;
}

/** What is used of koffi. */
export interface Koffi extends Omit<Libc, 'func'> {
  load(library: null): Pick<Libc, 'func'>;
}

/** Loads the C library through koffi. Rejects where koffi cannot be had. */
export async function loadLibc(): Promise<Libc> {
  const koffi = await loadKoffi<Koffi>();
  const library = koffi.load(null);
  return {
    func: (symbol, result, parameters) => library.func(symbol, result, parameters),
    errno: () => koffi.errno(),
    address: (bytes) => koffi.address(bytes),
  };
}
