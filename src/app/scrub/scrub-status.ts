import type { Listing } from '../listing/open-listing.ts';
import { recordOf, type ScrubWork, verifiedMs } from './scrub-files.ts';
import type { Suspect } from './suspects.ts';

/** Files and their bytes. */
export interface FileCount {
  files: number;
  bytes: number;
}

/** How far the verification of a tree is. */
export interface ScrubStatus {
  readonly verified: FileCount;
  /** Verified, but longer ago than `--every`. */
  readonly due: FileCount;
  /** Changed since they were verified. */
  readonly changed: FileCount;
  readonly never: FileCount;
  /** The time of the oldest verification, in milliseconds since the epoch; absent if there is none. */
  readonly oldestMs?: number;
  readonly suspects: readonly Suspect[];
}

/** Lists a tree, and looks up what is recorded about its files; reads none. */
export async function scrubStatus(
  work: ScrubWork & { readonly listing: Listing },
  everyMs: number,
): Promise<ScrubStatus> {
  const { listing, suspects } = work;
  const nowMs = listing.run.context.clock.now();
  const none = (): FileCount => ({ files: 0, bytes: 0 });
  const counts = { verified: none(), due: none(), changed: none(), never: none() };
  let oldestMs = Number.POSITIVE_INFINITY;
  for await (const files of listing.files()) {
    for (const file of files) {
      const ms = verifiedMs(work, file);
      const isDue = everyMs > 0 && ms <= nowMs - everyMs;
      const record = recordOf(work, file);
      const isKnown = record !== undefined && record.isUnread !== true;
      const of = ms > 0 ? (isDue ? 'due' : 'verified') : isKnown ? 'changed' : 'never';
      counts[of].files++;
      counts[of].bytes += Math.max(0, file.size);
      if (ms > 0) oldestMs = Math.min(oldestMs, ms);
    }
  }
  return {
    ...counts,
    ...(Number.isFinite(oldestMs) ? { oldestMs } : {}),
    suspects: suspects.below(listing.file?.path ?? ''),
  };
}
