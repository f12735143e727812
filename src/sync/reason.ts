import type { HashName } from '../core/hash-names.ts';
import { formatGoDuration } from '../go/duration.ts';

/** Why a pair of files is treated as it is. Data, so that a million equal pairs cost no text. */
export type Reason =
  | {
      readonly why:
        | 'ignore-existing'
        | 'ignore-times'
        | 'dest-newer'
        | 'sizes-identical'
        | 'proof-failed';
    }
  | { readonly why: 'sizes-differ'; readonly source: number; readonly dest: number }
  | {
      readonly why: 'times-same' | 'times-differ';
      readonly differenceNs: bigint;
      readonly windowNs: bigint;
    }
  | {
      readonly why: 'hash-same' | 'hash-differs' | 'hash-unknown';
      readonly hash: HashName | undefined;
    }
  | { readonly why: 'immutable' | 'immutable-time' };

/** The reason in words: rclone's where it has words for it. */
export function explain(reason: Reason): string {
  switch (reason.why) {
    case 'ignore-existing':
      return 'Destination exists, skipping';
    case 'proof-failed':
      return 'The destination is known to hold other content than was written';
    case 'ignore-times':
      return 'Transferring unconditionally as --ignore-times is in use';
    case 'dest-newer':
      return 'Destination is newer than source, skipping';
    case 'sizes-identical':
      return 'Sizes identical';
    case 'sizes-differ':
      return `Sizes differ (src ${reason.source} vs dst ${reason.dest})`;
    case 'times-same':
      return `Size and modification time the same (differ by ${formatGoDuration(reason.differenceNs)}, within tolerance ${formatGoDuration(reason.windowNs)})`;
    case 'times-differ':
      return `Modification times differ by ${formatGoDuration(reason.differenceNs)}`;
    case 'hash-same':
      return `Size and ${reason.hash} of src and dst objects identical`;
    case 'hash-differs':
      return `${reason.hash} differ`;
    case 'hash-unknown':
      return 'Size of src and dst objects identical, no common hash known';
    case 'immutable':
      return 'Source and destination exist but do not match: immutable file modified';
    case 'immutable-time':
      return 'Timestamp mismatch between immutable objects';
  }
}
