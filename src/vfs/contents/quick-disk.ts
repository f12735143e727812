import type { Clock } from '../../core/context.ts';
import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EFBIG: 'too-large',
  EROFS: 'read-only',
  EACCES: 'access-denied',
  EPERM: 'access-denied',
};

/** An error of the cache's disk as a `SyncerError` that names the cache. */
export function diskError(thrown: unknown, path: string | undefined): SyncerError {
  if (thrown instanceof SyncerError) return thrown;
  const { message } = toSyncerError(thrown);
  const advice = 'free some space there, or set --cache-dir to a larger disk';
  return new SyncerError(CODES[errnoOf(thrown)] ?? 'other', `the cache on disk: ${message}`, {
    ...(path !== undefined && { path }),
    ...(isDiskFull(thrown) && { advice }),
    cause: thrown,
  });
}

/** Whether the disk is full. */
export const isDiskFull = (thrown: unknown): boolean => CODES[errnoOf(thrown)] === 'no-space';

/** Runs `call`, and repeats it if the disk was full and `makeRoom` evicted something. Rejects with a `SyncerError`. */
export async function withRoom(
  call: () => Promise<void>,
  makeRoom: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (thrown) {
      const again = isDiskFull(thrown) && tries < 3 && (await makeRoom());
      if (!again) throw diskError(thrown, undefined);
    }
  }
}

function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

/** A disk that takes longer for a short operation is slow, in milliseconds. */
const SLOW_MS = 5;
/** How long other threads take over then, in milliseconds. */
const REST_MS = 1_000;

/**
 * Runs short operations synchronously, such as a small write to the page cache: another thread costs many times as
 * much. If the disk is slow or busy, other threads take over for a while.
 */
export class QuickDisk {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #slowUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether a short operation may run on this thread. */
  get isQuick(): boolean {
    return this.#clock.monotonic() >= this.#slowUntil;
  }

  /** Runs it, and measures its time. Throws what `call` throws. */
  run<T>(call: () => T): T {
    const since = this.#clock.monotonic();
    try {
      return call();
    } finally {
      const now = this.#clock.monotonic();
      if (now - since > SLOW_MS) this.#slowUntil = now + REST_MS;
    }
  }
}
