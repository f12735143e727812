import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A function of the C library. */
export interface CFunction {
  (...args: unknown[]): number;
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
    func: library.func.bind(library),
    errno: () => koffi.errno(),
    address: (bytes) => koffi.address(bytes),
  };
}

/** Where a thread, which finds nothing by name, gets koffi. */
export interface KoffiPlace {
  /** Its native part, where that is known. */
  readonly file: string | undefined;
  /** The address of the module. */
  readonly address: string;
}

let loaded: Promise<unknown> | undefined;

/**
 * Loads koffi, which calls functions of C libraries; `T` is what the caller uses of it. Rejects if it is not
 * available. If possible only its native part is loaded: the module around it costs six milliseconds in each thread.
 */
export function loadKoffi<T>(): Promise<T> {
  loaded ??= (async () => koffiAt({ file: koffiFile(), address: koffiAddress() }))();
  return loaded as Promise<T>;
}

/** The address of the module koffi. Throws where there is none. */
export const koffiAddress = (): string => import.meta.resolve('koffi');

/** Koffi's native part, where it is known to be made for this machine's C library; it may not be there. */
export function koffiFile(): string | undefined {
  const { platform, arch } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) return undefined;
  if (existsSync(`/lib/ld-musl-${arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`)) return undefined;
  try {
    const address = koffiAddress();
    // In a single executable the module is an asset, and so is the native part.
    if (!address.includes('/node_modules/koffi/')) return undefined;
    const part = `../@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`;
    return fileURLToPath(new URL(part, address));
  } catch {
    return undefined;
  }
}

/** Loads koffi in a thread, after the main thread. It runs by `startThread`, so it uses nothing from outside. */
export function koffiAt({ file, address }: KoffiPlace): unknown {
  if (file !== undefined) {
    try {
      const holder = { exports: {} };
      process.dlopen(holder, file);
      return holder.exports;
    } catch {
      // The module knows more places.
    }
  }
  const { createRequire } = process.getBuiltinModule('node:module');
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  // In a single executable the module is no file, and is found by its address alone.
  const isFile = !process.getBuiltinModule('node:sea').isSea();
  const found = createRequire(address)(isFile ? fileURLToPath(address) : address);
  return found.default ?? found;
}
