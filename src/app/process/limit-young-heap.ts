/** How large the young generation may get, in bytes; V8 itself lets it grow to 128 MiB on large machines. */
const LIMIT = 16 * 1024 ** 2;

const LOOK_EVERY_MS = 50;

/**
 * Keeps the part of memory in which V8 makes new objects from growing further once it has `LIMIT` bytes. A listing of
 * a million objects makes short-lived ones all the time: a larger part saves next to no time there, and takes half of
 * all memory. The growth factor is one of few V8 flags that are read anew at every use.
 */
export function limitYoungHeap(limit = LIMIT): void {
  const timer = setInterval(() => {
    const v8 = process.getBuiltinModule('node:v8');
    const spaces = v8.getHeapSpaceStatistics();
    const young = spaces.find(({ space_name: name }) => name === 'new_space');
    if (young !== undefined && young.space_size < limit) return;
    clearInterval(timer);
    v8.setFlagsFromString('--semi-space-growth-factor=1');
  }, LOOK_EVERY_MS);
  timer.unref();
}
