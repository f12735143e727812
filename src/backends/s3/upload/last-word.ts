import type { Op } from '../../../core/remote.ts';

/** How long an answer is waited for when the run is being ended, in milliseconds. */
const LAST_WORD_MS = 2_000;

/**
 * Asks for something that has to be undone when it is not used. An `op` that is aborted meanwhile does not end `ask` at
 * once, but after a moment, so that its answer can tell what there is to `undo`. Rejects with the signal's reason then.
 */
export async function withLastWord<T>(
  op: Op,
  ask: (op: Op) => Promise<T>,
  undo: (answer: T) => Promise<void>,
): Promise<T> {
  op.signal.throwIfAborted();
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => late.abort(op.signal.reason), LAST_WORD_MS);
  };
  op.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const answer = await ask({ signal: late.signal });
    if (op.signal.aborted) await undo(answer);
    op.signal.throwIfAborted();
    return answer;
  } finally {
    clearTimeout(timer);
    op.signal.removeEventListener('abort', onAbort);
  }
}
