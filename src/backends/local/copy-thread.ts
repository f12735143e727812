import type { Koffi } from '../../native/libc.ts';
import type { KoffiPlace } from '../../native/load-koffi.ts';
import type { SmallCopier, SmallCopy, smallCopier } from './small-copier.ts';

/** Small files that a copy thread copies, one after the other. */
export interface CopyBatch {
  readonly copies: readonly SmallCopy[];
  /** Set to 1 by whoever wants no further file to be begun. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** For each file of a batch 1 where it was copied, 0 where nothing was done and somebody else must see why. */
export type CopyAnswer = Uint8Array<ArrayBuffer>;

/** What a copy thread is started with. */
export interface CopyThreadData {
  readonly koffi: KoffiPlace;
  /** Files above this size do not come here, in bytes. */
  readonly largest: number;
}

/**
 * What runs in a copy thread. It is started from its own text and that of `smallCopier`, so that it needs no file of its
 * own in a bundle: nothing from outside may be used in it.
 */
export function copyThread(newCopier: typeof smallCopier): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  /** The main thread has loaded koffi before it sends anything: no two threads make it ready at the same time. */
  const loadKoffi = ({ file, address }: KoffiPlace): Koffi => {
    if (file !== undefined) {
      try {
        const holder = { exports: {} };
        process.dlopen(holder, file);
        return holder.exports as Koffi;
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
  };
  const loadCopier = (): SmallCopier => {
    const { koffi: place, largest } = workerData as CopyThreadData;
    const koffi = loadKoffi(place);
    const library = koffi.load(null);
    return newCopier(
      {
        func: (name, result, parameters) => library.func(name, result, parameters),
        errno: () => koffi.errno(),
      },
      largest,
    );
  };
  let copy: SmallCopier | undefined;
  parentPort?.on('message', ({ copies, stop }: CopyBatch) => {
    copy ??= loadCopier();
    const done: CopyAnswer = new Uint8Array(copies.length);
    for (const [index, each] of copies.entries()) {
      if (Atomics.load(stop, 0) === 0 && copy(each)) done[index] = 1;
    }
    parentPort.postMessage(done);
  });
}
