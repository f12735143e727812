import {
  bool,
  commandFlags,
  decidingFlags,
  duration,
  groupFlags,
  size,
  text,
} from '../../core/flags.ts';

const checking = ['check', 'checksum'] as const;
const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto'] as const;
const reviewable = [...transferring, 'bisync', 'delete', 'purge'] as const;

/** Flags of the other commands, but for the configuration and mounts. */
export const COMMAND_FLAGS = {
  ...commandFlags([...reviewable, 'apply', 'run', 'undo'], {
    review: bool(
      'Review the plan as a tree and choose what to apply; without a terminal only print it',
    ),
  }),
  ...commandFlags([...reviewable, 'run'], {
    save: text(
      'Save the plan as JSON for syncer apply, and change nothing (- for standard output)',
      'file',
    ),
  }),
  ...commandFlags(reviewable, {
    apply: text('Make exactly the changes of a saved plan, as syncer apply does', 'file'),
  }),
  ...commandFlags(['mount', 'job'], {
    'print-unit': bool(
      'Print a systemd unit: of a mount instead of mounting, of a job with its timer',
    ),
  }),
  ...commandFlags(['run'], {
    'check-job': bool("Compare the job's paths instead of running it", { name: 'check' }),
  }),
  ...commandFlags(checking, {
    'one-way': bool('Ignore files that are only at the destination'),
    download: bool('Download files and compare their contents'),
  }),
  ...commandFlags([...checking, ...transferring], {
    combined: text(
      'Report all files, each with a marker for the result (- for standard output)',
      'file',
    ),
    match: text('Report matching files', 'file'),
    differ: text('Report differing files', 'file'),
    'missing-on-src': text('Report files missing at the source', 'file'),
    'missing-on-dst': text('Report files missing at the destination', 'file'),
    error: text('Report files with errors', 'file'),
  }),
  ...commandFlags(['copy', 'sync'], {
    checkpoint: bool(
      'Between buckets: list in parallel, and record finished ranges of names; the same command continues after a kill',
    ),
  }),
  ...commandFlags(['copy', 'sync', 'bisync'], {
    watch: bool(
      'Keep running: watch the source, or both sides of bisync, and run again after changes, until stopped',
    ),
    'watch-delay': duration('How long nothing must change before a run', {
      of: 'watch',
      default: 2000,
    }),
  }),
  ...commandFlags(transferring, {
    manifest: text(
      'Write the hash of each file that was copied or is equal, as sha256sum does (- for standard output)',
      'file',
    ),
    'manifest-hash': text('Hash', { of: 'manifest', default: 'sha256', placeholder: 'name' }),
    'dest-after': text('Report the files at the destination after the run', 'file'),
    timeformat: text('Format of times: a Go layout or its name (RFC3339), unix, unixnano or max', {
      of: 'dest-after',
      short: 't',
      default: '',
      defaultText: '2006-01-02 15:04:05',
      placeholder: 'layout',
    }),
    'dest-files-only': bool('List files only', {
      of: 'dest-after',
      name: 'files-only',
      default: true,
    }),
  }),
  ...groupFlags('copy', {
    'streaming-upload-cutoff': size(
      'Upload input of unknown size in one piece if it is smaller than this',
      { default: 102_400 },
    ),
  }),
  ...commandFlags(['serve s3', 'serve http', 'serve webdav', 'mount'], {
    'read-only': bool('Refuse all requests that would change something'),
  }),
  ...commandFlags(['mount', 'serve http', 'serve webdav'], {
    'vfs-case-insensitive': bool('Find a file even if the case of its name differs'),
    'vfs-links': bool(
      "Show symbolic links as files with the suffix '.rclonelink' that contain the target",
    ),
    'vfs-metadata-extension': text(
      'Show the metadata of NAME as JSON in a file NAME + extension, which is in no listing',
      'extension',
    ),
    'mount-no-modtime': bool('Do not read or write modification times', { name: 'no-modtime' }),
    'no-seek': bool('Do not seek: fail out-of-order reads, send files as a whole'),
  }),
  // A plan must not hold these.
  ...decidingFlags(['bisync', 'apply'], {
    'bisync-force': bool('Continue despite --max-delete, and if all files changed', {
      name: 'force',
    }),
    'filters-file': text('Read filter rules from this file, as --filter-from', 'file'),
    workdir: text('Directory for the state of both sides after the last run', {
      placeholder: 'directory',
      defaultText: 'the state directory',
    }),
    'max-lock': duration(
      'Ignore the lock of another machine without a sign of life for this long (at least 2m)',
      { defaultText: 'never' },
    ),
  }),
};
