import type { DedupeMode } from '../../engine/dedupe-mode.ts';
import { commandFlags, decidingFlags, groupFlags } from './flag-definition.ts';

const checking = ['check', 'checksum'] as const;
const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto'] as const;
const reviewable = [...transferring, 'bisync', 'delete', 'purge'] as const;
const hashing = ['md5sum', 'sha1sum', 'hashsum'] as const;
const printing = ['hooks', 'hooks list', 'hooks history', 'hooks show', 'hooks rerun'];

/** Flags of the other commands, but for the configuration and mounts. */
export const COMMAND_FLAGS = {
  ...commandFlags([...reviewable, 'apply', 'run', 'undo'], {
    review: {
      type: 'bool',
      help: 'Review the plan as a tree and choose what to apply; without a terminal only print it',
    },
  }),
  ...commandFlags([...reviewable, 'run'], {
    save: {
      type: 'string',
      placeholder: 'file',
      help: 'Save the reviewed plan as JSON for syncer apply, and change nothing (- for standard output)',
    },
  }),
  ...commandFlags(reviewable, {
    apply: {
      type: 'string',
      placeholder: 'file',
      help: 'Make exactly the changes of a saved plan, as syncer apply does',
    },
  }),
  ...commandFlags(['why'], {
    'why-as': {
      name: 'as',
      type: 'string',
      values: ['sync', 'copy', 'move'],
      default: 'sync',
      placeholder: 'command',
      help: 'Explain what this command would do: sync, copy or move',
    },
  }),
  ...commandFlags(['mount', 'job'], {
    'print-unit': {
      type: 'bool',
      help: 'Print a systemd unit: of a mount instead of mounting, of a job with its timer',
    },
  }),
  ...commandFlags(['job'], {
    schedule: {
      type: 'string',
      default: 'daily',
      help: 'When the timer of --print-unit runs the job, as in systemd.time(7)',
    },
    'delete-job': { name: 'delete', type: 'bool', help: 'Delete the job; its files stay' },
    'replace-job': { name: 'replace', type: 'bool', help: 'Replace a job of the same name' },
  }),
  ...commandFlags(['run'], {
    'check-job': {
      name: 'check',
      type: 'bool',
      help: "Compare the job's paths instead of running it",
    },
  }),
  ...commandFlags(checking, {
    'one-way': { type: 'bool', help: 'Ignore files that are only at the destination' },
    download: { type: 'bool', help: 'Download files and compare their contents' },
  }),
  ...commandFlags(['scrub'], {
    budget: {
      type: 'string',
      placeholder: 'size|time',
      help: 'Read this much (100G) or for this long (2h), and the rest in the next runs',
    },
    every: { type: 'duration', default: 0, help: 'Skip files verified less than this ago (90d)' },
    with: {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Compare suspects with this copy, and name the command that would settle it',
    },
    'scrub-download': { name: 'download', type: 'bool', help: 'Read files of servers, too' },
    accept: { type: 'bool', help: 'Take the content of suspect files as right' },
    status: { type: 'bool', help: 'Report what is verified and what is due, and read nothing' },
    'scrub-json': { name: 'json', type: 'bool', help: 'Print a JSON object per file' },
  }),
  ...commandFlags(['check'], {
    'check-checkfile': {
      name: 'checkfile',
      short: 'C',
      type: 'string',
      placeholder: 'hash',
      help: 'Treat the source as a SUM file with this hash, as written by md5sum',
    },
  }),
  ...commandFlags([...checking, ...transferring], {
    combined: {
      type: 'string',
      placeholder: 'file',
      help: 'Report all files, each with a marker for the result (- for standard output)',
    },
    match: { type: 'string', placeholder: 'file', help: 'Report matching files' },
    differ: { type: 'string', placeholder: 'file', help: 'Report differing files' },
    'missing-on-src': {
      type: 'string',
      placeholder: 'file',
      help: 'Report files missing at the source',
    },
    'missing-on-dst': {
      type: 'string',
      placeholder: 'file',
      help: 'Report files missing at the destination',
    },
    error: { type: 'string', placeholder: 'file', help: 'Report files with errors' },
  }),
  ...commandFlags(['copy', 'sync'], {
    checkpoint: {
      type: 'bool',
      help: 'Between buckets: list in parallel, and record finished ranges of names; the same command continues after a kill',
    },
  }),
  ...commandFlags(['copy', 'sync', 'bisync'], {
    watch: {
      type: 'bool',
      help: 'Keep running: watch the source, or both sides of bisync, and run again after changes, until stopped',
    },
    'watch-delay': {
      type: 'duration',
      default: 2000,
      help: 'How long nothing must change before --watch runs',
    },
  }),
  ...commandFlags(transferring, {
    manifest: {
      type: 'string',
      placeholder: 'file',
      help: 'Write the hash of each file that was copied or is equal, as sha256sum does (- for standard output)',
    },
    'manifest-hash': {
      type: 'string',
      default: 'sha256',
      placeholder: 'name',
      help: 'Hash for --manifest',
    },
    'dest-after': {
      type: 'string',
      placeholder: 'file',
      help: 'Report the files at the destination after the run',
    },
    timeformat: {
      short: 't',
      type: 'string',
      default: '',
      defaultText: '2006-01-02 15:04:05',
      placeholder: 'layout',
      help: 'Format of times of --dest-after: a Go layout or its name (RFC3339), unix, unixnano or max',
    },
    'dest-files-only': {
      name: 'files-only',
      type: 'bool',
      default: true,
      help: 'With --dest-after, report files only',
    },
  }),
  ...commandFlags(['cat'], {
    head: { type: 'int', help: 'Print only the first N bytes' },
    tail: { type: 'int', help: 'Print only the last N bytes' },
    offset: { type: 'int', help: 'Start at byte N; a negative N counts from the end' },
    count: { type: 'int', help: 'Print only N bytes' },
    discard: { type: 'bool', help: 'Read the files without printing them' },
    'cat-separator': {
      name: 'separator',
      type: 'string',
      help: 'Separator to print after each file',
    },
  }),
  ...commandFlags(['rcat'], {
    'rcat-size': {
      name: 'size',
      type: 'int',
      defaultText: 'unknown',
      help: 'Size of the input in bytes, if known',
    },
  }),
  ...commandFlags(hashing, {
    base64: { type: 'bool', help: 'Print the hash as base64 (URL-safe)' },
    'hash-download': {
      name: 'download',
      type: 'bool',
      help: 'Download the files and hash them locally',
    },
    'output-file': {
      type: 'string',
      placeholder: 'file',
      help: 'Write to a file instead of standard output',
    },
    checkfile: {
      short: 'C',
      type: 'string',
      placeholder: 'file',
      help: 'Verify hashes against a SUM file instead of printing them',
    },
  }),
  ...commandFlags(['rmdirs'], {
    'leave-root': { type: 'bool', help: 'Keep the root directory even if it is empty' },
  }),
  ...groupFlags('copy', {
    'streaming-upload-cutoff': {
      type: 'size',
      default: 102_400,
      help: 'Upload input of unknown size in one piece if it is smaller than this',
    },
  }),
  ...decidingFlags(['delete'], {
    rmdirs: { type: 'bool', help: 'Delete directories that became empty, except the root' },
  }),
  ...commandFlags(['backend'], {
    option: {
      short: 'o',
      type: 'list',
      placeholder: 'name=value',
      help: 'Option of the command',
    },
  }),
  ...commandFlags(['cleanup'], {
    'older-than': {
      type: 'duration',
      default: 86_400_000,
      help: 'Keep leftovers younger than this unless their run has certainly ended',
    },
  }),
  ...commandFlags(['serve s3', 'serve http', 'serve webdav', 'mount'], {
    'read-only': { type: 'bool', help: 'Refuse all requests that would change something' },
  }),
  ...commandFlags(['touch'], {
    timestamp: {
      short: 't',
      type: 'string',
      placeholder: 'time',
      defaultText: 'now',
      help: 'Time to set in UTC: YYMMDD or YYYY-MM-DDThh:mm:ss.sss',
    },
    localtime: { type: 'bool', help: 'Read --timestamp as local time, not UTC' },
    'no-create': {
      short: 'C',
      type: 'bool',
      help: 'Do not create a missing file (implied by --recursive)',
    },
  }),
  ...commandFlags(['about'], {
    full: { type: 'bool', help: 'Print sizes in bytes without suffixes' },
  }),
  ...commandFlags(['copyurl'], {
    'auto-filename': {
      short: 'a',
      type: 'bool',
      help: 'Take the file name from the URL; dest:path is a directory',
    },
    'header-filename': {
      type: 'bool',
      help: 'With --auto-filename, take the name from the Content-Disposition header',
    },
    urls: {
      type: 'bool',
      help: 'Download all URLs of a CSV file (URL,NAME in each line) to a directory',
    },
    'print-filename': { short: 'p', type: 'bool', help: 'Print the file name' },
    'no-clobber': { type: 'bool', help: 'Do not overwrite an existing file' },
    stdout: { type: 'bool', help: 'Write to standard output instead of a file' },
  }),
  ...commandFlags(['link'], {
    expire: {
      type: 'duration',
      defaultText: 'the maximum of the backend',
      help: 'How long the link is valid',
    },
    unlink: { type: 'bool', help: 'Revoke the link' },
  }),
  ...commandFlags(['dedupe'], {
    'dedupe-mode': {
      type: 'string',
      default: 'interactive',
      values: [
        ...(['interactive', 'skip', 'first', 'newest', 'oldest'] as const),
        ...(['largest', 'smallest', 'rename', 'list'] as const),
      ] satisfies readonly DedupeMode[],
      placeholder: 'mode',
      help: 'What to do with duplicates: interactive, skip, list, rename, or the one to keep',
    },
    'by-hash': { type: 'bool', help: 'Find files with equal hashes, not equal names' },
  }),
  ...commandFlags([...printing, 'hooks follow'], {
    control: {
      type: 'string',
      placeholder: 'path',
      help: 'Control socket of the hook server (its -control)',
      defaultText: 'the path used by webhook -control auto',
    },
  }),
  ...commandFlags(printing, {
    'hooks-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['hooks'], {
    'hooks-plain': { name: 'plain', type: 'bool', help: 'Print lines even on a terminal' },
  }),
};
