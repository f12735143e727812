import { SyncerError } from '../../core/errors.ts';
import { type QueuePlace, queuePlace } from './queue-place.ts';

/** A pattern of `--allow` or `--allow-move`: the places below these two. */
export interface AllowedPair {
  readonly source: QueuePlace;
  readonly dest: QueuePlace;
}

const ARROW = ' -> ';

/**
 * Reads `'lake: -> copy:backup'`: runs from `lake:` or below, to `copy:backup` or below. Throws `usage` for anything
 * else.
 */
export function parseAllowed(text: string, flag = '--allow'): AllowedPair {
  const [from, to, ...more] = text.split(ARROW);
  if (from === undefined || to === undefined || more.length > 0) {
    throw new SyncerError(
      'usage',
      `${flag} "${text}" is no pair of places: write 'source: -> dest:path', with a space before and after the arrow`,
    );
  }
  return { source: queuePlace(from.trim()), dest: queuePlace(to.trim()) };
}

/** Whether one of the pairs has both places; both as in the command: `lake:data`. Unreadable places are never allowed. */
export function isAllowed(
  pairs: readonly AllowedPair[],
  { source, dest }: { readonly source: string; readonly dest: string },
): boolean {
  const [from, to] = [source, dest].map(readable);
  if (from === undefined || to === undefined) return false;
  return pairs.some((pair) => isBelow(from, pair.source) && isBelow(to, pair.dest));
}

function readable(text: string): QueuePlace | undefined {
  try {
    return queuePlace(text);
  } catch {
    return undefined;
  }
}

function isBelow(place: QueuePlace, above: QueuePlace): boolean {
  if (place.remote !== above.remote) return false;
  return above.path === '' || `${place.path}/`.startsWith(`${above.path}/`);
}
