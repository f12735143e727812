import type { Koffi } from '../../native/libc.ts';
import type { KoffiPlace, koffiAt } from '../../native/load-koffi.ts';
import type { ThreadPort } from '../../native/start-thread.ts';
import type { SmallCopier, SmallCopy } from './small-copier.ts';
import type { SmallCopyCalls } from './small-copy-calls.ts';

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

/** What runs in a copy thread; see `startThread`. */
export function copyThread(
  port: ThreadPort,
  { koffi: place, largest }: CopyThreadData,
  Copier: typeof SmallCopier,
  Calls: typeof SmallCopyCalls,
  loadKoffi: typeof koffiAt,
): void {
  const loadCopier = (): SmallCopier => {
    const koffi = loadKoffi(place) as Koffi;
    const library = koffi.load(null);
    const libc = { func: library.func.bind(library), errno: () => koffi.errno() };
    return new Copier(new Calls(libc, largest));
  };
  let copier: SmallCopier | undefined;
  port.on('message', ({ copies, stop }: CopyBatch) => {
    copier ??= loadCopier();
    const done: CopyAnswer = new Uint8Array(copies.length);
    for (const [index, each] of copies.entries()) {
      if (Atomics.load(stop, 0) === 0 && copier.copy(each)) done[index] = 1;
    }
    port.postMessage(done);
  });
}
