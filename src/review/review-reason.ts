import { formatReadableDuration } from '../core/duration.ts';
import { explain, type Reason } from '../sync/reason.ts';
import { reviewSize } from './review-size.ts';

/** Why a file is replaced, in few words. */
export function reviewReason(reason: Reason): string {
  switch (reason.why) {
    case 'sizes-differ':
      return `size is ${reviewSize(reason.source)}, there ${reviewSize(reason.dest)}`;
    case 'times-differ': {
      const { differenceNs } = reason;
      const ms = Math.abs(Number(differenceNs / 1_000_000n));
      return `${differenceNs < 0n ? 'older' : 'newer'} there by ${durationText(ms)}`;
    }
    case 'hash-differs':
      return `${reason.hash} differs`;
    case 'ignore-times':
      return 'in any case (--ignore-times)';
    default:
      return explain(reason);
  }
}

/** Below a second in milliseconds, else without fractions. */
function durationText(ms: number): string {
  return ms < 1000 ? `${ms}ms` : formatReadableDuration(Math.floor(ms / 1000) * 1000);
}
