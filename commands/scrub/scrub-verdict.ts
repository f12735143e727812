import {
  agree,
  type ContentVersion,
  type HashRecord,
  isRacy,
  isSameVersion,
} from '../../src/caches/hashes/hash-record.ts';
import type { Hashes } from '../../src/core/hash-names.ts';

/** The result of verifying a file. */
export type ScrubResult =
  | 'ok'
  /** It was never verified before. */
  | 'new'
  | 'changed'
  /** Other content with the same size and time: no program that keeps to the rules did that. */
  | 'suspect'
  /** It was suspect, and the user says that it is right. */
  | 'accepted'
  | 'unreadable';

/** The result, and for suspects why. */
export interface ScrubVerdict {
  readonly result: Exclude<ScrubResult, 'accepted' | 'unreadable'>;
  readonly reason?: string;
}

/**
 * Compares a file with what is recorded about it.
 *
 * @param version the file as it is now
 * @param hashes of its content, or as a server reports them
 */
export function judge(
  record: HashRecord | undefined,
  version: ContentVersion,
  hashes: Hashes,
): ScrubVerdict {
  if (record === undefined) return { result: 'new' };
  if (!isSameVersion(record, version)) return { result: 'changed' };
  switch (agree(record.hashes, hashes)) {
    case true:
      return { result: 'ok' };
    case undefined:
      return { result: 'new' };
    case false:
      // It may have been written twice within one tick of the clock.
      if (isRacy(record.modTime, record.readMs)) return { result: 'changed' };
      return { result: 'suspect', reason: reasonFor(record, version) };
  }
}

function reasonFor(record: HashRecord, version: ContentVersion): string {
  if (version.changedAt === 0n) return 'its content has changed, and its ETag has not';
  return record.changedAt === version.changedAt
    ? 'its content has changed, and its size and times have not'
    : 'its content has changed, and its size and modification time have not';
}
