import { PerformanceObserver } from 'node:perf_hooks';

/** How large the young generation may get, in bytes; V8 itself lets it grow to 128 MiB on large machines. */
const YOUNG = 16 * 1024 ** 2;

/** From this size on, in bytes, the old generation is kept from doubling and more before it is cleaned. */
const OLD = 12 * 1024 ** 2;

/** How much may come to a large old generation before it is cleaned, in percent; V8 itself lets it grow up to fourfold. */
const GROWTH = 50;

/**
 * Keeps V8 from taking more memory than it has use for. A listing of a million objects makes short-lived ones all the
 * time: a larger young generation saves next to no time there, and takes half of all memory. What waits for its turn in
 * a long run gets old, so that most of the old generation is garbage soon. Both are looked at after each collection;
 * the flags are among the few that are read anew at every use.
 */
export function limitHeap(young = YOUNG, old = OLD): void {
  let isYoungFull = false;
  let isOldLarge = false;
  const observer = new PerformanceObserver(() => {
    const v8 = process.getBuiltinModule('node:v8');
    for (const { space_name: name, ...space } of v8.getHeapSpaceStatistics()) {
      if (name === 'new_space' && !isYoungFull && space.space_size >= young) {
        isYoungFull = true;
        v8.setFlagsFromString('--semi-space-growth-factor=1');
      }
      if (name === 'old_space' && !isOldLarge && space.space_used_size >= old) {
        isOldLarge = true;
        v8.setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
      }
    }
    if (isYoungFull && isOldLarge) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
