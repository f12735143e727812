import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { withModTimeIndex } from '../../mod-time-index/indexed-remote.ts';
import { ModTimeIndex } from '../../mod-time-index/mod-time-index.ts';
import { logText } from '../log/log-text.ts';

/** The index of modification times of a run. */
export interface ModTimes {
  /** The remote with the index, if that helps. */
  of(remote: Remote): Remote;
  /** Writes what was learned, after the remotes are closed. */
  close(): Promise<void>;
}

/** The index in this cache directory, opened when a remote uses it. */
export function openModTimes(context: Context, cacheFolder: string): ModTimes {
  let index: ModTimeIndex | undefined;
  const open = () => {
    index ??= new ModTimeIndex({
      folder: join(cacheFolder, 'mod-times'),
      clock: context.clock,
      onTrouble: (error) => {
        const why = toSyncerError(error).message;
        const message = `Modification times are not cached: ${why}`;
        context.emit(logText('debug', message));
      },
    });
    return index;
  };
  return {
    of: (remote) => withModTimeIndex(remote, open),
    close: async () => index?.close(),
  };
}
