import type { SyncerError } from './errors.ts';
import type { HashName } from './hash-names.ts';
import type { Attempted, Reason } from './reason.ts';

/** A log event without fields. */
type None = Readonly<Record<never, never>>;

/** `isStep`: it is a step of a change that is reported by itself, such as a backup. */
interface Step {
  readonly isStep?: true;
}

/**
 * The log events of engine and backends: for each code its fields. A capability has a table of words of its own, and logs
 * texts. `src/shell/log/words.ts` has the words. An `error` is logged with its
 * causes and its code; of an error in `why` only the message is.
 */
export interface LogFields {
  /** Text of `src/shell`, `src/run` and `commands`, which need no code. `lines`: it has several. */
  message: {
    readonly text: string;
    readonly lines?: boolean;
    readonly error?: SyncerError;
    /** Credentials in it are to be shown (`--dump auth`). */
    readonly showsSecrets?: boolean;
  };

  // Runs
  failed: Partial<Attempted> & { readonly error: SyncerError };
  'attempt-succeeded': { readonly attempt: number; readonly of: number };
  'attempt-failed': {
    readonly attempt: number;
    readonly of: number;
    readonly errors: number;
    readonly why: SyncerError;
  };
  /** `what`: the request, if it has no path. `of`: absent if it is tried any number of times. */
  'retry-succeeded': {
    readonly what?: string;
    readonly attempt: number;
    readonly of?: number | undefined;
  };
  'not-deleting': { readonly what: 'files' | 'directories' };
  skipped: {
    readonly action: string;
    readonly flag: string;
    /** In bytes; -1: unknown. */
    readonly size: number;
    /** Less than that may be sent. */
    readonly isAtMost?: true | undefined;
  };
  'checks-first': None;
  'checks-finished': None;

  // Files
  copied: {
    readonly how: 'new' | 'replaced' | 'server-side';
    /** Its current name, if that is another one. */
    readonly to: string | undefined;
    /** In bytes; -1: unknown. */
    readonly size: number;
    /** How much of it was sent, if the store has copied the rest from the object that it replaces. */
    readonly sent?: number | undefined;
  } & Step;
  moved: { readonly to: string | undefined } & Step;
  'case-fixed': { readonly to: string };
  'dir-moved': None;
  'dir-move-failed': { readonly why: SyncerError | 'dest-exists' };
  deleted: Step;
  'deleted-replaced': { readonly by: string };
  'removing-dir': None;
  'shortcut-deleted': None;
  'shortcut-left': None;
  renamed: { readonly from: string };
  'not-taken-back': { readonly at: string; readonly why: SyncerError };
  'rename-failed': { readonly to: string; readonly why: SyncerError };
  decided: { readonly reason: Reason };
  unchanged: None;
  'mod-time-set': None;
  'dir-metadata-set': None;
  'dir-mod-time-set': None;
  'mod-time-needs-upload': None;
  'mod-time-archived': None;
  'same-file': None;
  'backup-copied': { readonly to: string | undefined };
  'backup-moved': None;
  'backup-metadata': { readonly why: SyncerError };
  'no-backup': None;
  'kept-unlisted': { readonly what: string };
  'sorts-on-disk': { readonly cutoff: number };
  'duplicate-name': { readonly kind: 'file' | 'dir'; readonly side: 'source' | 'dest' };
  'copy-retry': {
    readonly ms: number;
    readonly attempt: number;
    readonly of: number;
    readonly why: SyncerError;
  };
  'read-resumed': { readonly bytes: number; readonly why: SyncerError };
  'upload-resumed': {
    readonly parts: number;
    readonly of: number;
    readonly bytes: number;
    readonly percent: number;
  };
  'upload-restarted': { readonly why: string };
  /**
   * In bytes: what it has in common with the object that it replaces, its size, and what is sent of it. `isKnown`: of that
   * object something is known.
   */
  'delta-planned': {
    readonly isKnown: boolean;
    readonly common: number;
    readonly size: number;
    readonly sends: number;
  };
  'delta-refused': { readonly why: string };
  'delta-unknown': { readonly place: string };
  'upload-kept': {
    readonly bytes: number;
    readonly of: number;
    /** How long; `undefined`: the service decides. */
    readonly days: number | undefined;
    readonly place: string;
  };
  'upload-left': { readonly why: SyncerError; readonly place: string };
  'upload-aborted': { readonly begunMs: number };
  'upload-expired': None;
  'download-restarted': None;
  'download-resumed': { readonly bytes: number; readonly percent: number };
  'download-kept': { readonly bytes: number; readonly of: number; readonly at: string };
  'reference-found': { readonly mode: 'compare' | 'copy' };
  'reference-missing': None;
  'reference-copy-failed': None;

  // --track-renames
  'renames-ignored': { readonly lack: 'sync' | 'server-side' | 'hash' | 'mod-time' };
  'renames-begin': None;
  'renames-end': None;
  'renames-ambiguous': { readonly files: number };
  'rename-unknown': { readonly lack: 'hash' | 'mod-time'; readonly why: SyncerError };

  // check
  'check-hash': { readonly hash: HashName };
  'checked-by-time': None;
  equal: None;
  differs: { readonly difference: SyncerError };
  'check-count': {
    readonly what: 'missing' | 'differences' | 'errors' | 'without-hash' | 'matches';
    readonly count: number;
  };

  // Configuration and logins
  'config-exposed': { readonly path: string; readonly mode: number };
  'config-missing': { readonly path: string };
  'config-homeless': None;
  'login-device': { readonly link: string; readonly userCode: string; readonly picture: string };
  'login-browser': { readonly link: string };
  'login-code': None;
  'login-done': { readonly length: string };
  'login-stored-apart': { readonly remote: string; readonly path: string };
  'login-not-saved': { readonly remote: string; readonly why: SyncerError | 'other-token' };

  // Remotes
  'store-throttles': { readonly account: string; readonly seconds: number };
  'listing-dirs-apart': { readonly why: SyncerError };
  'old-content-kept': { readonly path: string; readonly as: string; readonly why: SyncerError };
  'old-content-left': { readonly path: string; readonly as: string; readonly why: SyncerError };
  'left-unnamed': { readonly path: string };
  'left-kept': { readonly path: string; readonly name: string };
  'left-deleted': { readonly path: string; readonly name: string };
  'left-renamed': { readonly path: string; readonly name: string };
  'left-copy-deleted': { readonly path: string };
  'partial-deleted': None;
  'partial-kept': { readonly why: SyncerError };
  'not-transferable': { readonly what: 'link' | 'special' };
  'metadata-unreadable': { readonly key: string; readonly value: string | undefined };
  'metadata-dropped': { readonly key: string; readonly value?: string };
  'attributes-disabled': { readonly why: string };
  'permissions-not-set': { readonly why: SyncerError };
  'header-unknown': { readonly name: string };
  'link-shortened': { readonly from: number; readonly to: number };
  'clock-differs': { readonly aheadMs: number };
  'bucket-made': { readonly bucket: string; readonly acl: string };
  'option-ignored': { readonly option: string };
  'rclone-said': { readonly line: string };
  'checksums-disabled': {
    readonly what: 'headers' | 'trailers';
    readonly why: SyncerError | 'ignored';
  };
  'wrong-content-kept': { readonly why: SyncerError | 'only-copy' };

  // Mounts
  'fuse-request': { readonly name: string; readonly inode: number; readonly id: number };
  'fuse-failed': {
    readonly name: string;
    readonly inode: number;
    /** `late`: it ran into the time limit. */
    readonly error: Error | 'late';
  };
  'mount-failed': {
    readonly doing: 'poll' | 'remove-leftover' | 'ask-space' | 'refresh';
    readonly error: SyncerError;
  };
  uploaded: None;
  'upload-retry': { readonly ms: number; readonly error: SyncerError };
  'upload-impossible': { readonly error: SyncerError };
  'upload-overwrites': None;
  'upload-refused': {
    readonly why: 'open' | 'crash' | 'replaced' | 'journal' | 'unsure';
    readonly kept: string;
  };
  'uploads-resumed': { readonly count: number };
  'uploads-not-resumed': { readonly why: SyncerError };
  'cache-not-cleaned': { readonly why: SyncerError };
}

/** The code of a log line; the key into `LogFields`. */
export type LogCode = keyof LogFields;
