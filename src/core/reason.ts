import type { HashName } from './hash-names.ts';

/** Why a pair of files is treated as it is. Data, so that a million equal pairs cost no text. */
export type Reason =
  | {
      readonly why:
        | 'new'
        | 'existing'
        | 'ignore-existing'
        | 'ignore-times'
        | 'dest-newer'
        | 'sizes-identical'
        | 'proof-failed'
        | 'in-reference'
        | 'suspect'
        | 'chosen'
        | 'contents-same'
        | 'contents-differ'
        | 'rewritten-same'
        | 'rewritten-differ';
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
  | { readonly why: 'unlisted'; readonly what: string }
  /** A move would take the file for the one `stored`, whose name is another spelling of its own. */
  | { readonly why: 'other-spelling'; readonly stored: string }
  /** Of a two-way sync: changed on the other side only; deleted there, but changed here. */
  | { readonly why: 'immutable' | 'immutable-time' | 'changed-there' | 'deleted-there' };

/** The action during which an error occurred. */
export type Doing =
  | 'compare'
  | 'compare-with-reference'
  | 'copy'
  | 'delete'
  | 'hash'
  | 'list'
  | 'list-directory'
  | 'look-up'
  | 'make-directory'
  | 'move'
  | 'open'
  | 'read-directory'
  | 'remove-directory'
  | 'rename'
  | 'set-dir-metadata'
  | 'set-dir-mod-time'
  | 'set-mod-time'
  | 'set-tier'
  | 'stat'
  | 'touch'
  | 'write-out';

/** An action, with the fields for its words. */
export interface Attempted {
  readonly doing: Doing;
  readonly side?: 'source' | 'dest';
  readonly isRoot?: boolean;
  readonly reference?: 'compare' | 'copy';
}
