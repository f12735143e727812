import { changeFlag } from '../../system/v8-flags.ts';
import { PROGRAM } from './memory-limit.ts';

/** Limit of the young generation, in bytes; V8 lets it grow to 128 MiB on large machines. */
const YOUNG = 8 * 1024 ** 2;
/** Size of the old generation from which it grows by `GROWTH` and no longer by `GROWTH_OF_SMALL`, in bytes. */
const OLD = 20 * 1024 ** 2;
/** What the old generation is taken for before the first collection, in bytes. */
const FIRST = 12 * 1024 ** 2;
/** Growth of the old generation before a collection, in percent; V8 allows up to fourfold. */
const GROWTH_OF_SMALL = 100;
const GROWTH = 50;
/** Upper limit of the growth of a small heap, in percent. */
const MOST_GROWTH = 1000;
/** Room for request bodies of a server before a collection, in bytes. */
const ROOM = 64 * 1024 ** 2;

/**
 * Jobs of V8's compiler, 130 KiB each, are destroyed when they are done. V8 leaves that to the threads that compile,
 * which have no time for it while hundreds of functions wait: 10 to 20 MiB in the first second of a transfer.
 */
const DESTROY_AT_ONCE = '--no-maglev-destroy-on-background';
/** Runs shorter than this are not limited, in milliseconds. */
const SHORT_MS = 100;

/**
 * When the growth of the old generation is limited, in milliseconds: before the first full collection, which decides
 * how far the heap grows. Node's module for it takes 2 ms, which shorter runs save.
 */
const GROWTH_MS = 40;
/** The share of what a limited process has besides the program that may be garbage before a collection. */
const ROOM_SHARE = 1 / 8;

/** Upper limit of `room`, in bytes. */
let mostRoom = Number.POSITIVE_INFINITY;

/** Minimum growth of the old generation before a collection, in bytes. */
let room = 0;

/**
 * Limits the memory of V8. A listing of a million objects creates short-lived ones all the time: a larger young
 * generation saves almost no time there, and takes half of all memory. Entries that wait in a long run become old, so
 * most of the old generation is soon garbage. Both are checked after each collection; V8 reads these flags at every
 * use.
 */
export function limitHeap(young = YOUNG, old = OLD): void {
  let isYoungFull = false;
  let isOldLarge = old === 0;
  let growth = growthOf(FIRST, isOldLarge);
  let isCompilerLimited = false;
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  limitGrowth(growth);
  const observer = new PerformanceObserver(() => {
    if (!isCompilerLimited) changeFlag(DESTROY_AT_ONCE, '--maglev-destroy-on-background');
    isCompilerLimited = true;
    const v8 = process.getBuiltinModule('node:v8');
    for (const { space_name: name, ...space } of v8.getHeapSpaceStatistics()) {
      if (name === 'new_space' && !isYoungFull && space.space_size >= young) {
        isYoungFull = true;
        changeFlag('--semi-space-growth-factor=1', '--semi-space-growth-factor=2');
      }
      if (name !== 'old_space') continue;
      isOldLarge ||= space.space_used_size >= old;
      const wanted = growthOf(space.space_used_size, isOldLarge);
      if (wanted !== growth) limitGrowth(wanted);
      growth = wanted;
    }
    if (isYoungFull && isOldLarge && room === 0) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Limits the growth of the old generation, in percent. */
function limitGrowth(percent: number): void {
  changeFlag(`--heap-growing-percent=${percent}`, '--heap-growing-percent=0');
}

/**
 * The same after a short while; for a process with a limit (`--memory`) immediately, and for a heap of any size: V8
 * would let its first garbage grow to four times of what is in use.
 *
 * @param limit of the process, in bytes
 */
export function limitHeapOf(limit: number | undefined): void {
  if (limit === undefined) {
    setTimeout(limitGrowth, GROWTH_MS, GROWTH_OF_SMALL).unref();
    setTimeout(limitHeap, SHORT_MS).unref();
    return;
  }
  mostRoom = Math.max(0, limit - PROGRAM) * ROOM_SHARE;
  leaveHeapRoom(mostRoom);
  limitHeap(YOUNG, 0);
}

/**
 * Lets the old generation grow by about this many bytes before a collection, from the next one on. For servers: bodies
 * from Node's HTTP server come in buffers that cannot be reused and count as heap, so that a small heap would be
 * collected after each dozen MiB.
 */
export function leaveHeapRoom(bytes = ROOM): void {
  room = Math.min(bytes, mostRoom);
}

/** In percent. */
function growthOf(used: number, isLarge: boolean): number {
  if (room === 0) return isLarge ? GROWTH : GROWTH_OF_SMALL;
  const steps = Math.round(room / used / (GROWTH / 100));
  return Math.max(GROWTH, Math.min(MOST_GROWTH, steps * GROWTH));
}
