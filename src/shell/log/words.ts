import type { LogEvent } from '../../core/events.ts';
import type { LogCode, LogFields } from '../../core/log-fields.ts';
import type { Attempted, Reason } from '../../core/reason.ts';
import { KEPT_DAYS } from '../../core/upload-records.ts';
import {
  formatDuration,
  formatGoDuration,
  formatSize,
  formatSizeUnit,
} from '../../go/quantities.ts';

/** The words of every log line; rclone's where it has words for it. */
const WORDS: {
  readonly [Code in LogCode]: (fields: LogFields[Code], path: string | undefined) => string;
} = {
  message: ({ text }) => text,

  failed: ({ error, doing, ...details }) =>
    (doing === undefined ? '' : FAILED[doing]({ doing, ...details })) + error.message,
  'attempt-succeeded': ({ attempt, of }) => `Attempt ${attempt}/${of} succeeded`,
  'attempt-failed': ({ attempt, of, errors, why }) =>
    `Attempt ${attempt}/${of} failed with ${errors} errors and: ${why.message}`,
  // Not in rclone's words for runs, by which a reader of the log finds those.
  'retry-succeeded': ({ what, attempt, of }) =>
    `${what === undefined ? '' : `${what}: `}Succeeded on attempt ${attempt}${of === undefined ? '' : ` of ${of}`}`,
  'not-deleting': ({ what }) => `not deleting ${what} as there were IO errors`,
  skipped: ({ action, flag, size, isAtMost }) => {
    const most = isAtMost === true ? 'at most ' : '';
    return `Skipped ${action} as ${flag} is set${size < 0 ? '' : ` (size ${most}${formatSize(size)})`}`;
  },
  'checks-first': () => 'Running all checks before starting transfers',
  'checks-finished': () => 'Checks finished, now starting transfers',

  copied: ({ how, to, size, sent }) => {
    const part =
      sent === undefined ? '' : `, sent ${formatSizeUnit(sent)} of ${formatSizeUnit(size)}`;
    return `Copied (${COPIED[how]}${part})${toName(to)}`;
  },
  'case-fixed': ({ to }) => `Fixed case by renaming to: ${to}`,
  moved: ({ to }) => `Moved (server-side)${toName(to)}`,
  'dir-moved': () => 'Server side directory move succeeded',
  'dir-move-failed': ({ why }) =>
    `Server side directory move failed - fallback to file moves: ${
      why === 'dest-exists' ? "can't copy directory - destination already exists" : why.message
    }`,
  deleted: () => 'Deleted',
  'deleted-replaced': ({ by }) => `Deleted, as it is replaced by "${by}"`,
  'removing-dir': () => 'Removing directory',
  'shortcut-deleted': () => 'Deleted the shortcut, and nothing in the directory that it leads to',
  'shortcut-left': () => 'Left as it is: a shortcut to a directory that belongs to others',
  renamed: ({ from }) => `Renamed from "${from}"`,
  'not-taken-back': ({ at, why }) =>
    `Still at ${at}, as its move could not be undone: ${why.message}`,
  'rename-failed': ({ to, why }) => `Failed to rename to "${to}": ${why.message}`,
  decided: ({ reason }) => (REASONS[reason.why] as (reason: Reason) => string)(reason),
  unchanged: () => 'Unchanged skipping',
  'mod-time-set': () => 'Updated modification time in destination',
  'dir-metadata-set': () => 'Updated directory metadata',
  'dir-mod-time-set': () => 'Set directory modification time (using DirSetModTime)',
  'mod-time-needs-upload': () => "Can't set the modification time without uploading again",
  'mod-time-archived': () =>
    "Can't set the modification time: the objects on both sides are archived; their content is equal",
  'same-file': () => 'Not removing source file as it is the same file as the destination',
  'backup-copied': ({ to }) => (to === undefined ? 'Copied into backup dir' : `Copied to: ${to}`),
  'backup-moved': () => 'Moved into backup dir',
  'backup-metadata': ({ why }) => `In the backup: ${why.message}`,
  'no-backup': () => 'Not overwritten: there would be no backup',
  'kept-unlisted': ({ what }) => REASONS.unlisted({ why: 'unlisted', what }),
  'sorts-on-disk': ({ cutoff }) =>
    `Switching to on disk sorting as more than ${cutoff} entries in one directory detected`,
  'duplicate-name': ({ kind, side }) =>
    `Duplicate ${kind === 'file' ? 'object' : 'directory'} found in ${sideName(side)} - ignoring`,
  'copy-retry': ({ ms, attempt, of, why }) =>
    `Trying again in ${ms} ms (${attempt}/${of}): ${why.message}`,
  'read-resumed': ({ bytes, why }) =>
    `Reopening on read failure after ${bytes} bytes: ${why.message}`,
  'upload-resumed': ({ parts, of, percent }) =>
    `Resuming the upload at ${percent}% (${parts} of ${of} parts verified)`,
  'delta-planned': ({ isKnown, common, size, sends }) => {
    const what = isKnown
      ? `${formatSize(common)} of ${formatSize(size)} are in the replaced object`
      : 'Nothing is known of the replaced object';
    return `${what}: sending ${sends === size ? 'all of it' : formatSize(sends)}`;
  },
  'delta-unknown': ({ place }) =>
    `Large files are sent whole: try with "syncer backend probe ${place}" whether the server can copy what has not changed`,
  'delta-refused': ({ why }) => `Sending all of it: ${why}`,
  'upload-restarted': ({ why }) => `Starting the upload from the beginning: ${why}`,
  'upload-kept': ({ bytes, of, days, place }) =>
    `Interrupted: the server keeps ${formatSize(bytes)} of ${formatSize(of)}${days === undefined ? '' : ` for ${days} days`}, for the next run; to delete it: syncer uploads abort ${place}`,
  'download-restarted': () => 'Starting the download from the beginning: the source has changed',
  'download-resumed': ({ percent }) => `Resuming the download at ${percent}%`,
  'download-kept': ({ bytes, of, at }) =>
    `Interrupted: ${formatSize(bytes)} of ${formatSize(of)} are kept for the next run, for ${KEPT_DAYS} days, in ${at}`,
  'upload-left': ({ why, place }) =>
    `${why.message}: its parts stay at the server, and may be charged; to delete them: syncer uploads abort ${place}`,
  'upload-aborted': ({ begunMs }) =>
    `Aborted the upload begun at ${new Date(begunMs).toISOString()}`,
  'upload-expired': () => `Deleted an upload that was interrupted more than ${KEPT_DAYS} days ago`,
  'reference-found': ({ mode }) =>
    `Destination found in --${mode}-dest, ${mode === 'copy' ? 'using server-side copy' : 'skipping'}`,
  'reference-missing': () => 'Destination not found in --copy-dest',
  'reference-copy-failed': () => 'Destination found in --copy-dest, error copying',

  'renames-ignored': ({ lack }) => `Ignoring --track-renames as ${NO_RENAMES[lack]}`,
  'renames-begin': () => 'Making map for --track-renames',
  'renames-end': () => 'Finished making map for --track-renames',
  'renames-ambiguous': ({ files }) =>
    `${files} files may have been renamed, but their sources are ambiguous: copying them`,
  'rename-unknown': ({ lack, why }) =>
    `No ${lack === 'hash' ? lack : 'modification time'} for --track-renames: ${why.message}`,

  'check-hash': ({ hash }) => `Using ${hash} for hash comparisons`,
  'checked-by-time': () =>
    'Compared by size and modification time; add --checksum to compare hashes, --download to compare contents',
  equal: () => 'OK',
  differs: ({ difference }) => difference.message,
  'check-count': ({ what, count }) => `${count} ${CHECK_COUNTS[what]}`,

  'config-exposed': ({ path, mode }) =>
    `config file "${path}" contains secrets and is readable by other users (mode ${mode.toString(8).padStart(4, '0')}): run chmod 600`,
  'config-missing': ({ path }) => `Config file "${path}" not found - using defaults`,
  'config-homeless': () =>
    'No home directory found: there is no config file - set HOME or give --config to have one',
  'login-device': ({ link, userCode, picture }) =>
    `To log in, open ${link} on any device and enter the code ${userCode}\n${picture}\nWaiting for the login...`,
  'login-browser': ({ link }) =>
    `If your browser doesn't open automatically go to the following link: ${link}\nLog in and authorize syncer for access\nWaiting for code...`,
  'login-code': () => 'Got code',
  'login-done': ({ length }) => `The login: ${length}`,
  'login-stored-apart': ({ remote, path }) =>
    `the renewed login of ${remote} was stored in ${path}: the configuration cannot be written`,
  'login-not-saved': ({ remote, why }) =>
    `the renewed login of ${remote} was not saved: ${
      why === 'other-token' ? 'it differs from the one in the configuration file' : why.message
    }`,

  'store-throttles': ({ account, seconds }) =>
    `${account}: the service throttles requests; waiting ${seconds} s before the next request`,
  'listing-dirs-apart': ({ why }) => `${why.message}; listing its directories one by one`,
  'old-content-kept': ({ path, as, why }) =>
    `${path}: its old content is kept as ${as}: ${why.message}; ${REPAIR}`,
  'old-content-left': ({ path, as, why }) =>
    `${path}: its old content may be left as ${as}; it could not be renamed back: ${why.message}; ${REPAIR}`,
  'left-unnamed': ({ path }) =>
    `${path}: old content of a file in this directory; its name is unknown: rename or delete it`,
  'left-kept': ({ path, name }) => `${path}: kept, because ${name} is now a directory`,
  'left-deleted': ({ path, name }) => `${path}: deleted, because ${name} exists again`,
  'left-renamed': ({ path, name }) => `${path}: renamed back to ${name}`,
  'left-copy-deleted': ({ path }) => `${path}: deleted, an unfinished copy`,
  'partial-deleted': () => 'Deleted a temporary file of an interrupted run',
  'partial-kept': ({ why }) => `Couldn't delete a temporary file: ${why.message}`,
  'not-transferable': ({ what }) =>
    what === 'link'
      ? "Can't follow symlink without -L/--copy-links"
      : "Can't transfer non file/directory",
  'permissions-not-set': ({ why }) => `Cannot set the permissions: ${why.message}`,
  'metadata-unreadable': ({ key, value }) =>
    `failed to parse metadata ${key}: ${JSON.stringify(value)}`,
  'metadata-dropped': ({ key, value }) =>
    value === undefined
      ? `Dropping invalid metadata key ${JSON.stringify(key)}`
      : `Dropping invalid metadata value ${JSON.stringify(value)} for key ${JSON.stringify(key)}`,
  'attributes-disabled': ({ why }) => `xattrs not supported - disabling: ${why}`,
  'header-unknown': ({ name }) => `Don't know how to set key ${JSON.stringify(name)} on upload`,
  'link-shortened': ({ from, to }) =>
    `Public Link: Reducing expiry to ${formatDuration(to)} as ${formatDuration(from)} is greater than the max time allowed`,
  'clock-differs': ({ aheadMs }) =>
    `The clock of this machine is ${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead of'} the server's: requests are signed with the server's time`,
  'bucket-made': ({ bucket, acl }) => `Bucket "${bucket}" created with ACL "${acl}"`,
  'rclone-said': ({ line }) => `rclone: ${line}`,
  'option-ignored': ({ option }) => `rclone option ${option} is not supported and was ignored`,
  'checksums-disabled': ({ what, why }) =>
    `The S3 server does not support ${what === 'headers' ? 'CRC-32' : 'trailing'} checksums (${
      why === 'ignored' ? 'it ignores them' : why.message
    }): disabled for the rest of the run`,
  'wrong-content-kept': ({ why }) =>
    `The content on the remote is wrong and could not be undone: ${
      why === 'only-copy' ? 'it is the only copy: copy the file again' : why.message
    }`,

  'fuse-request': ({ name, inode, id }) => `fuse: ${name} ${inode} #${id}`,
  'fuse-failed': ({ name, inode, error }, path) => {
    const text = error === 'late' ? 'took too long' : error.message;
    if (path === undefined) return `${name} of inode ${inode}: ${text}`;
    // Errors mostly start with the path themselves.
    const start = `${path === '/' ? '' : path}: `;
    return `${name}: ${text.startsWith(start) ? text.slice(start.length) : text}`;
  },
  'mount-failed': ({ doing, error }) => `${MOUNT_FAILED[doing]}: ${error.message}`,
  uploaded: () => 'Uploaded from the cache',
  'upload-retry': ({ ms, error }) =>
    `Upload failed, trying again in ${(ms / 1000).toFixed(1)}s: ${error.message}`,
  'upload-impossible': ({ error }) => `Cannot be uploaded: ${error.message}`,
  'upload-overwrites': () =>
    'Changed on the remote while its upload waited: the file of the mount replaces it',
  'upload-refused': ({ why, kept }) => `Not uploaded, as ${REFUSED[why]}: its bytes are in ${kept}`,
  'uploads-resumed': ({ count }) =>
    `Resuming ${count} ${count === 1 ? 'upload' : 'uploads'} from the previous mount`,
  'uploads-not-resumed': ({ why }) =>
    `Could not resume pending uploads of the previous mount: ${why.message}`,
  'cache-not-cleaned': ({ why }) => `The cache cannot be cleaned: ${why.message}`,
};

const FAILED: { readonly [Doing in Attempted['doing']]: (attempted: Attempted) => string } = {
  compare: () => 'Failed to compare: ',
  'compare-with-reference': ({ reference }) => `Failed to compare with --${reference}-dest: `,
  copy: () => 'Failed to copy: ',
  delete: () => "Couldn't delete: ",
  hash: () => 'Failed to calculate hash: ',
  list: () => 'Listing error: ',
  'list-directory': () => 'error listing: ',
  'look-up': () => 'Failed to look up file: ',
  'make-directory': () => "Couldn't make directory: ",
  move: () => 'Failed to move: ',
  open: () => 'Failed to open: ',
  'read-directory': ({ side = 'source', isRoot }) =>
    `error reading ${sideName(side)} ${isRoot ? 'root directory' : 'directory'}: `,
  'remove-directory': () => "Couldn't remove directory: ",
  rename: () => 'Failed to rename: ',
  'set-dir-metadata': () => 'Failed to set directory metadata: ',
  'set-dir-mod-time': () => 'Failed to set directory modification time: ',
  'set-mod-time': () => 'Failed to set modification time: ',
  'set-tier': () => 'Failed to do SetTier, ',
  stat: () => 'error looking up file: ',
  touch: () => 'failed to touch: ',
  'write-out': () => 'Failed to send to output: ',
};

const COPIED = {
  new: 'new',
  replaced: 'replaced existing',
  'server-side': 'server-side copy',
} as const;

const NO_RENAMES = {
  sync: "it doesn't work with copy or move, only sync",
  'server-side': 'the destination does not support server-side move or copy',
  hash: 'the source and destination do not have a common hash',
  'mod-time': 'either the source or destination do not support modtime',
} as const;

const CHECK_COUNTS = {
  missing: 'files missing',
  differences: 'differences found',
  errors: 'errors while checking',
  'without-hash': 'hashes could not be checked',
  matches: 'matching files',
} as const;

const MOUNT_FAILED = {
  poll: 'cannot poll for changes',
  'remove-leftover': 'a file deleted while it was open still exists',
  'ask-space': 'cannot read the used space',
  refresh: 'cannot list the directory',
} as const;

const REFUSED = {
  open: 'it was never closed',
  crash: 'it may be incomplete after a crash',
  journal: 'the journal of the cache is damaged and does not name it',
  unsure: 'the journal of the cache is damaged where it names it last',
  replaced: 'only a part of it was changed and the rest is no longer on the remote',
} as const;

const REPAIR = 'run "syncer cleanup" to repair it';

/** The text of an event: one line, or several for texts of several lines. */
export function messageOf({ code, fields = {}, path }: LogEvent): string {
  const words = WORDS[code] as (fields: object, path: string | undefined) => string;
  return words(fields, path);
}

const toName = (to: string | undefined) => (to === undefined ? '' : ` to: ${to}`);
const sideName = (side: 'source' | 'dest') => (side === 'dest' ? 'destination' : side);

type ReasonOf<Why, R = Reason> = R extends { readonly why: infer All }
  ? Why extends All
    ? R
    : never
  : never;

/** The reasons of decisions about a pair of files. */
const REASONS: { readonly [Why in Reason['why']]: (reason: ReasonOf<Why>) => string } = {
  new: () => 'File not found at destination',
  existing: () => 'not at the destination; --existing copies no new files',
  unlisted: ({ what }) => `Not copied: ${what} of that name exists`,
  'ignore-existing': () => 'Destination exists, skipping',
  'proof-failed': () => 'The destination failed verification in an earlier run',
  'ignore-times': () => 'Transferring unconditionally as --ignore-times is in use',
  'dest-newer': () => 'Destination is newer than source, skipping',
  'sizes-identical': () => 'Sizes identical',
  'sizes-differ': ({ source, dest }) => `Sizes differ (src ${source} vs dst ${dest})`,
  'times-same': ({ differenceNs, windowNs }) =>
    `Size and modification time the same (differ by ${formatGoDuration(differenceNs)}, within tolerance ${formatGoDuration(windowNs)})`,
  'times-differ': ({ differenceNs }) =>
    `Modification times differ by ${formatGoDuration(differenceNs)}`,
  'in-reference': () => 'Destination found in --compare-dest, skipping',
  suspect: () => 'Suspect, as scrub found',
  'contents-same': () => 'Contents identical',
  'contents-differ': () => 'Contents differ',
  'rewritten-same': () => 'Modification times identical, of a file that its server changed',
  'rewritten-differ': () => 'Modification times differ, of a file that its server changed',
  chosen: () => 'Left as it was chosen',
  'other-spelling': ({ stored }) => `At the destination it is the same file as "${stored}"`,
  'hash-same': ({ hash }) => `Size and ${hash} of src and dst objects identical`,
  'hash-differs': ({ hash }) => `${hash} differ`,
  'hash-unknown': () => 'Size of src and dst objects identical, no common hash known',
  immutable: () => 'Source and destination exist but do not match: immutable file modified',
  'changed-there': () => 'Changed on the other side',
  'deleted-there': () => 'Deleted on the other side, but changed on this one',
  'immutable-time': () => 'Timestamp mismatch between immutable objects',
};
