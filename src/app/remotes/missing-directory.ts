import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Traits } from '../../core/remote.ts';

/** The error for deleting a missing directory: on disks and in buckets with exit code 1 and not 3, as in rclone. */
export function missingDirectory(thrown: unknown, { onDisk, bucketBased }: Traits): unknown {
  const isPlain = onDisk || bucketBased;
  const isMissing = hasCode(thrown, 'bucket-not-found', 'directory-not-found');
  return isPlain && isMissing
    ? new SyncerError('other', thrown.message, { cause: thrown })
    : thrown;
}
