import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Traits } from '../../core/remote.ts';

/**
 * What removing a directory ends with, where that one is missing: on disks and in buckets with exit code 1 and not 3,
 * as in rclone, whose backends for those do not say that it is a directory that is missing.
 */
export function missingDirectory(thrown: unknown, { onDisk, bucketBased }: Traits): unknown {
  const isPlain = onDisk || bucketBased;
  const isMissing = hasCode(thrown, 'bucket-not-found', 'directory-not-found');
  return isPlain && isMissing
    ? new SyncerError('other', thrown.message, { cause: thrown })
    : thrown;
}
