import type { HomeMount } from '../../src/run/home-entry.ts';
import type { ListedMount } from './list-mounts.ts';

/** A mount as the home screen and `syncer ps` show it. */
export function homeMount({
  mountPoint,
  source,
  health,
  isEnding,
  state,
  since,
  user,
}: ListedMount): HomeMount {
  return {
    ...{ mountPoint, source },
    state: isEnding === true && health === 'live' ? 'ending' : health,
    pending: (state?.uploadsWaiting ?? 0) + (state?.uploadsRunning ?? 0),
    pendingBytes: state?.pendingBytes ?? 0,
    failed: state?.uploadsFailed ?? 0,
    cachedFiles: state?.cachedFiles ?? 0,
    cachedBytes: state?.cachedBytes ?? 0,
    ...(since === undefined ? {} : { sinceMs: since }),
    ...(user === undefined ? {} : { user }),
  };
}
