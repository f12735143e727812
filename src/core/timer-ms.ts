/** The longest time that a timer of Node takes, in milliseconds: 24.8 days. It makes a longer one end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A time for a timer: at most the longest that one takes. In milliseconds. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

/** Calls `task` after a time of any length, in milliseconds; returns the function that ends this. */
export function afterMs(ms: number, task: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : task()), timerMs(left));
  };
  wait(ms);
  return () => clearTimeout(timer);
}
