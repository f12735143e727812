import {
  bool,
  commandFlags,
  decidingFlags,
  duration,
  groupFlags,
  int,
  list,
  size,
  text,
} from '../../core/flags.ts';
import type { DedupeMode } from '../../engine/dedupe-mode.ts';

const checking = ['check', 'checksum'] as const;
const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto'] as const;
const reviewable = [...transferring, 'bisync', 'delete', 'purge'] as const;
const hashing = ['md5sum', 'sha1sum', 'hashsum'] as const;
const printing = ['hooks', 'hooks list', 'hooks history', 'hooks show', 'hooks rerun'];

/** Flags of the other commands, but for the configuration and mounts. */
export const COMMAND_FLAGS = {
  ...commandFlags([...reviewable, 'apply', 'run', 'undo'], {
    review: bool(
      'Review the plan as a tree and choose what to apply; without a terminal only print it',
    ),
  }),
  ...commandFlags([...reviewable, 'run'], {
    save: text(
      'Save the reviewed plan as JSON for syncer apply, and change nothing (- for standard output)',
      { placeholder: 'file' },
    ),
  }),
  ...commandFlags(reviewable, {
    apply: text('Make exactly the changes of a saved plan, as syncer apply does', {
      placeholder: 'file',
    }),
  }),
  ...commandFlags(['why'], {
    'why-as': text('Explain what this command would do: sync, copy or move', {
      name: 'as',
      values: ['sync', 'copy', 'move'],
      default: 'sync',
      placeholder: 'command',
    }),
  }),
  ...commandFlags(['mount', 'job'], {
    'print-unit': bool(
      'Print a systemd unit: of a mount instead of mounting, of a job with its timer',
    ),
  }),
  ...commandFlags(['job'], {
    schedule: text('When the timer of --print-unit runs the job, as in systemd.time(7)', {
      default: 'daily',
    }),
    'delete-job': bool('Delete the job; its files stay', { name: 'delete' }),
    'replace-job': bool('Replace a job of the same name', { name: 'replace' }),
  }),
  ...commandFlags(['run'], {
    'check-job': bool("Compare the job's paths instead of running it", { name: 'check' }),
  }),
  ...commandFlags(checking, {
    'one-way': bool('Ignore files that are only at the destination'),
    download: bool('Download files and compare their contents'),
  }),
  ...commandFlags(['scrub'], {
    budget: text('Read this much (100G) or for this long (2h), and the rest in the next runs', {
      placeholder: 'size|time',
    }),
    every: duration('Skip files verified less than this ago (90d)', { default: 0 }),
    with: text('Compare suspects with this copy, and name the command that would settle it', {
      placeholder: 'remote:path',
    }),
    'scrub-download': bool('Read files of servers, too', { name: 'download' }),
    accept: bool('Take the content of suspect files as right'),
    status: bool('Report what is verified and what is due, and read nothing'),
    'scrub-json': bool('Print a JSON object per file', { name: 'json' }),
  }),
  ...commandFlags(['check'], {
    'check-checkfile': text('Treat the source as a SUM file with this hash, as written by md5sum', {
      name: 'checkfile',
      short: 'C',
      placeholder: 'hash',
    }),
  }),
  ...commandFlags([...checking, ...transferring], {
    combined: text('Report all files, each with a marker for the result (- for standard output)', {
      placeholder: 'file',
    }),
    match: text('Report matching files', { placeholder: 'file' }),
    differ: text('Report differing files', { placeholder: 'file' }),
    'missing-on-src': text('Report files missing at the source', { placeholder: 'file' }),
    'missing-on-dst': text('Report files missing at the destination', { placeholder: 'file' }),
    error: text('Report files with errors', { placeholder: 'file' }),
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
    'watch-delay': duration('How long nothing must change before --watch runs', { default: 2000 }),
  }),
  ...commandFlags(transferring, {
    manifest: text(
      'Write the hash of each file that was copied or is equal, as sha256sum does (- for standard output)',
      { placeholder: 'file' },
    ),
    'manifest-hash': text('Hash for --manifest', { default: 'sha256', placeholder: 'name' }),
    'dest-after': text('Report the files at the destination after the run', {
      placeholder: 'file',
    }),
    timeformat: text(
      'Format of times of --dest-after: a Go layout or its name (RFC3339), unix, unixnano or max',
      { short: 't', default: '', defaultText: '2006-01-02 15:04:05', placeholder: 'layout' },
    ),
    'dest-files-only': bool('With --dest-after, report files only', {
      name: 'files-only',
      default: true,
    }),
  }),
  ...commandFlags(['cat'], {
    head: int('Print only the first N bytes'),
    tail: int('Print only the last N bytes'),
    offset: int('Start at byte N; a negative N counts from the end'),
    count: int('Print only N bytes'),
    discard: bool('Read the files without printing them'),
    'cat-separator': text('Separator to print after each file', { name: 'separator' }),
  }),
  ...commandFlags(['rcat'], {
    'rcat-size': int('Size of the input in bytes, if known', {
      name: 'size',
      defaultText: 'unknown',
    }),
  }),
  ...commandFlags(hashing, {
    base64: bool('Print the hash as base64 (URL-safe)'),
    'hash-download': bool('Download the files and hash them locally', { name: 'download' }),
    'output-file': text('Write to a file instead of standard output', { placeholder: 'file' }),
    checkfile: text('Verify hashes against a SUM file instead of printing them', {
      short: 'C',
      placeholder: 'file',
    }),
  }),
  ...commandFlags(['rmdirs'], {
    'leave-root': bool('Keep the root directory even if it is empty'),
  }),
  ...groupFlags('copy', {
    'streaming-upload-cutoff': size(
      'Upload input of unknown size in one piece if it is smaller than this',
      { default: 102_400 },
    ),
  }),
  ...decidingFlags(['delete'], {
    rmdirs: bool('Delete directories that became empty, except the root'),
  }),
  ...commandFlags(['backend'], {
    option: list('Option of the command', { short: 'o', placeholder: 'name=value' }),
  }),
  ...commandFlags(['cleanup'], {
    'older-than': duration(
      'Keep leftovers younger than this unless their run has certainly ended',
      { default: 86_400_000 },
    ),
  }),
  ...commandFlags(['serve s3', 'serve http', 'serve webdav', 'mount'], {
    'read-only': bool('Refuse all requests that would change something'),
  }),
  ...commandFlags(['touch'], {
    timestamp: text('Time to set in UTC: YYMMDD or YYYY-MM-DDThh:mm:ss.sss', {
      short: 't',
      placeholder: 'time',
      defaultText: 'now',
    }),
    localtime: bool('Read --timestamp as local time, not UTC'),
    'no-create': bool('Do not create a missing file (implied by --recursive)', { short: 'C' }),
  }),
  ...commandFlags(['about'], { full: bool('Print sizes in bytes without suffixes') }),
  ...commandFlags(['copyurl'], {
    'auto-filename': bool('Take the file name from the URL; dest:path is a directory', {
      short: 'a',
    }),
    'header-filename': bool(
      'With --auto-filename, take the name from the Content-Disposition header',
    ),
    urls: bool('Download all URLs of a CSV file (URL,NAME in each line) to a directory'),
    'print-filename': bool('Print the file name', { short: 'p' }),
    'no-clobber': bool('Do not overwrite an existing file'),
    stdout: bool('Write to standard output instead of a file'),
  }),
  ...commandFlags(['link'], {
    expire: duration('How long the link is valid', { defaultText: 'the maximum of the backend' }),
    unlink: bool('Revoke the link'),
  }),
  ...commandFlags(['dedupe'], {
    'dedupe-mode': text(
      'What to do with duplicates: interactive, skip, list, rename, or the one to keep',
      {
        default: 'interactive',
        values: [
          ...(['interactive', 'skip', 'first', 'newest', 'oldest'] as const),
          ...(['largest', 'smallest', 'rename', 'list'] as const),
        ] satisfies readonly DedupeMode[],
        placeholder: 'mode',
      },
    ),
    'by-hash': bool('Find files with equal hashes, not equal names'),
  }),
  ...commandFlags([...printing, 'hooks follow'], {
    control: text('Control socket of the hook server (its -control)', {
      placeholder: 'path',
      defaultText: 'the path used by webhook -control auto',
    }),
  }),
  ...commandFlags(printing, { 'hooks-json': bool('Print JSON', { name: 'json' }) }),
  ...commandFlags(['hooks'], {
    'hooks-plain': bool('Print lines even on a terminal', { name: 'plain' }),
  }),
};
