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

/**
 * Runs `call`, and repeats it if the disk was full and `makeRoom` evicted something: a repair, and no retry. Rejects with
 * a `SyncerError`.
 */
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
