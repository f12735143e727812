import { SyncerError } from '../../core/errors.ts';
import type { Pass, PassGround } from '../pass.ts';

/**
 * A move in ranges of names (`--checkpoint`): it deletes only what a listing has shown at the destination, so that a file
 * is copied first, and another attempt finds it there. What was copied from a reference directory is done.
 */
export function rangesPass({ verb, range }: PassGround): Pass | undefined {
  if (verb !== 'move' || range === undefined) return undefined;
  return {
    async done({ source: { path }, from }) {
      if (from !== undefined) return;
      const why = 'it was changed since it was copied, and copied again';
      throw new SyncerError('other', `${why}; it stays at the source until it is compared again`, {
        path,
      });
    },
  };
}
