import type { Entry, Remote } from '../core/remote.ts';

/**
 * The shown size of a directory: -1, but 0 for the prefixes of object storage, unless they are from a flat listing;
 * rclone shows them so.
 */
export function shownDirSize(dir: Entry, { traits }: Remote, isFlat: boolean): number {
  const isPrefix = traits.bucketBased && dir.kind === 'dir' && dir.isBucket !== true;
  return isPrefix && !isFlat ? 0 : -1;
}
