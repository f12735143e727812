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
  const code = errnoOf(thrown);
  const { message } = toSyncerError(thrown);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new SyncerError(CODES[code] ?? 'other', `the cache on disk: ${message}`, {
    ...(path === undefined ? {} : { path }),
    ...(full ? { advice: 'free some space there, or set --cache-dir to a larger disk' } : {}),
    cause: thrown,
  });
}

/** Whether the disk is full. */
export function isDiskFull(thrown: unknown): boolean {
  const code = errnoOf(thrown);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

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
