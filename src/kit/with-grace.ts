/**
 * Runs `work` with a signal that is aborted only some time after the given one, with its reason: for what must be
 * brought to its end once it has begun, but not for ever.
 *
 * @param graceMs how long `work` may go on when the run is broken off, in milliseconds
 */
export async function withGrace<T>(
  signal: AbortSignal,
  graceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => own.abort(signal.reason), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}
