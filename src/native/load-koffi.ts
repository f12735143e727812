import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where koffi's package for a machine has its native part, from koffi's own folder on. */
const NATIVE_PARTS: Readonly<Record<string, { file: string; musl: string }>> = {
  'linux-x64': {
    file: '../@koromix/koffi-linux-x64/linux_x64/koffi.node',
    musl: '/lib/ld-musl-x86_64.so.1',
  },
  'linux-arm64': {
    file: '../@koromix/koffi-linux-arm64/linux_arm64/koffi.node',
    musl: '/lib/ld-musl-aarch64.so.1',
  },
};

/** Where a thread, which finds nothing by name, gets koffi. */
export interface KoffiPlace {
  /** Its native part, where that is known. */
  readonly file: string | undefined;
  /** The address of the module. */
  readonly address: string;
}

let loaded: Promise<unknown> | undefined;

/**
 * Loads koffi, which calls functions of C libraries; `T` is what the caller uses of it. Rejects where it cannot be had.
 *
 * Its native part is loaded by itself where it can be found: the module around it, which searches for it and puts
 * deprecated names beside its own, costs six milliseconds in each thread.
 */
export function loadKoffi<T>(): Promise<T> {
  loaded ??= (async () => koffiAt({ file: koffiFile(), address: koffiAddress() }))();
  return loaded as Promise<T>;
}

/** The address of the module koffi. Throws where there is none. */
export function koffiAddress(): string {
  return import.meta.resolve('koffi');
}

/** Koffi's native part, where it is known to be made for this machine's C library; it may not be there. */
export function koffiFile(): string | undefined {
  const part = NATIVE_PARTS[`${process.platform}-${process.arch}`];
  if (part === undefined || existsSync(part.musl)) return undefined;
  try {
    const address = koffiAddress();
    // In a single executable the module is an asset, and so is the native part.
    if (!address.includes('/node_modules/koffi/')) return undefined;
    return fileURLToPath(new URL(part.file, address));
  } catch {
    return undefined;
  }
}

/**
 * Loads koffi from its place: what `loadKoffi` does in the main thread. A thread calls it by `startThread`, so that nothing
 * from outside is used in it, and after the main thread: no two make koffi ready at the same time.
 */
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
