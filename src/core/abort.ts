/** Runs `work` with a signal that is aborted `graceMs` milliseconds after the given one, with its reason. */
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

/**
 * A controller that follows these signals. Its signal is much cheaper to look at than one of `AbortSignal.any`; in
 * return the sources keep it: use it for what lives as long as they do.
 */
export function linkedAbort(...signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  for (const signal of signals) {
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return controller;
}

/** Waits for a promise that others wait for too; rejects with the signal's reason as soon as that is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const ended = Promise.withResolvers<T>();
  const onAbort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  promise
    .then(ended.resolve, ended.reject)
    .finally(() => signal.removeEventListener('abort', onAbort));
  return ended.promise;
}

/** Runs `work`, and calls `onAbort` if the signal is aborted before it ends. */
export async function watchingAbort<T>(
  signal: AbortSignal,
  onAbort: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
