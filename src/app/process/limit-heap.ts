/** How large the young generation may get, in bytes; V8 itself lets it grow to 128 MiB on large machines. */
const YOUNG = 16 * 1024 ** 2;

/** From this size on, in bytes, the old generation is kept from doubling and more before it is cleaned. */
const OLD = 12 * 1024 ** 2;

/** How much may come to a large old generation before it is cleaned, in percent; V8 itself lets it grow up to fourfold. */
const GROWTH = 50;

/** More than a small heap ever needs to grow by, in percent. */
const MOST_GROWTH = 1000;

/** So much of what requests brought a server may wait to be cleaned up, in bytes. */
const ROOM = 64 * 1024 ** 2;

/** How long a run may do as it likes, in milliseconds: short ones never need what looks after the heap. */
const SHORT_MS = 100;

/** What may come to the old generation before it is cleaned, however small that is, in bytes. */
let room = 0;

/**
 * Keeps V8 from taking more memory than it has use for. A listing of a million objects makes short-lived ones all the
 * time: a larger young generation saves next to no time there, and takes half of all memory. What waits for its turn in
 * a long run gets old, so that most of the old generation is garbage soon. Both are looked at after each collection;
 * the flags are among the few that are read anew at every use.
 */
export function limitHeap(young = YOUNG, old = OLD): void {
  let isYoungFull = false;
  let isOldLarge = false;
  let growth = 0;
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  const observer = new PerformanceObserver(() => {
    const v8 = process.getBuiltinModule('node:v8');
    for (const { space_name: name, ...space } of v8.getHeapSpaceStatistics()) {
      if (name === 'new_space' && !isYoungFull && space.space_size >= young) {
        isYoungFull = true;
        v8.setFlagsFromString('--semi-space-growth-factor=1');
      }
      if (name !== 'old_space') continue;
      isOldLarge ||= space.space_used_size >= old;
      const wanted = growthOf(space.space_used_size, isOldLarge);
      if (wanted !== growth) v8.setFlagsFromString(`--heap-growing-percent=${wanted}`);
      growth = wanted;
    }
    if (isYoungFull && isOldLarge && room === 0) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** The same for a run that turns out not to be short. */
export function limitHeapLater(): void {
  setTimeout(limitHeap, SHORT_MS).unref();
}

/**
 * Has the old generation cleaned no sooner than after about so many new bytes, from the next collection on. For what gets
 * bodies of requests from Node's own server, in buffers that cannot be used again: they count as the heap's, and a small
 * heap would be cleaned after each dozen MiB of them.
 */
export function leaveHeapRoom(bytes = ROOM): void {
  room = bytes;
}

/** In percent; 0 leaves it to V8. */
function growthOf(used: number, isLarge: boolean): number {
  if (room === 0) return isLarge ? GROWTH : 0;
  const steps = Math.round(room / used / (GROWTH / 100));
  return Math.max(GROWTH, Math.min(MOST_GROWTH, steps * GROWTH));
}
