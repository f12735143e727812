import type { FlagDefinition } from './flag-definition.ts';

const transferring = ['copy', 'sync', 'move'] as const;

/** Flags that say what is copied, how files are compared, and what happens to the destination. */
export const COPY_FLAGS = {
  'dry-run': {
    short: 'n',
    type: 'bool',
    help: 'Show what would be done, change nothing',
    group: 'main',
  },
  interactive: {
    short: 'i',
    type: 'bool',
    help: 'Ask before every change',
    group: 'main',
  },
  checksum: {
    short: 'c',
    type: 'bool',
    help: 'Compare by size and checksum instead of size and time',
    group: 'copy',
  },
  'size-only': {
    type: 'bool',
    help: 'Compare by size only',
    group: 'copy',
  },
  'refresh-times': {
    type: 'bool',
    help: 'Set the time of files of equal size where there is no checksum to compare',
    group: 'copy',
  },
  'ignore-times': {
    short: 'I',
    type: 'bool',
    help: 'Copy every file, also those with equal size and time',
    group: 'copy',
  },
  'ignore-size': {
    type: 'bool',
    help: 'Compare by time or checksum, not by size',
    group: 'copy',
  },
  'ignore-checksum': {
    type: 'bool',
    help: 'Do not compare checksums after a copy',
    group: 'copy',
  },
  'multi-thread-cutoff': {
    type: 'size',
    default: 262_144_000,
    help: 'Fetch files of at least this size to a disk in several streams at once',
    group: 'copy',
  },
  'multi-thread-streams': {
    type: 'int',
    default: 4,
    help: 'How many streams these are (0 or 1 for one)',
    group: 'copy',
  },
  'ignore-existing': {
    type: 'bool',
    help: 'Skip all files that exist at the destination',
    group: 'copy',
  },
  existing: {
    type: 'bool',
    help: 'Skip all files that do not exist at the destination',
    group: 'copy',
  },
  update: {
    short: 'u',
    type: 'bool',
    help: 'Skip files that are newer at the destination',
    group: 'copy',
  },
  immutable: {
    type: 'bool',
    help: 'Fail where an existing file would be changed',
    group: 'copy',
  },
  'modify-window': {
    type: 'duration',
    defaultText: '1ns',
    help: 'Times that differ by less than this are the same',
    group: 'copy',
  },
  'no-traverse': {
    type: 'bool',
    help: 'Look for single files at the destination instead of listing it',
    group: 'copy',
  },
  'no-check-dest': {
    type: 'bool',
    help: 'Copy without looking at the destination',
    group: 'copy',
  },
  'no-update-modtime': {
    type: 'bool',
    help: 'Leave the time of files at the destination that are equal but for it',
    group: 'copy',
  },
  'no-unicode-normalization': {
    type: 'bool',
    help: 'Names that differ only in their Unicode form (NFC, NFD) are different names',
    group: 'copy',
  },
  'ignore-case-sync': {
    type: 'bool',
    help: 'Names that differ only in case are the same name',
    group: 'copy',
  },
  'compare-dest': {
    type: 'list',
    placeholder: 'remote:path',
    help: 'Leave out files that this directory has, too (may be given several times)',
    group: 'copy',
  },
  'copy-dest': {
    type: 'list',
    placeholder: 'remote:path',
    help: 'Copy files that this directory has, too, from there inside the store (may be given several times)',
    group: 'copy',
  },
  'use-server-modtime': {
    type: 'bool',
    help: 'Use the time a file was stored, not the time kept in its metadata',
    group: 'copy',
  },
  metadata: {
    short: 'M',
    type: 'bool',
    help: 'Copy metadata, too; lsjson: tell it',
    group: 'copy',
  },
  'metadata-set': {
    type: 'list',
    placeholder: 'key=value',
    help: 'With --metadata: what uploaded files have besides, or instead of what their source has',
    group: 'copy',
  },
  'server-side-across-configs': {
    type: 'bool',
    help: 'Copy inside the store also between two remotes of the same kind',
    group: 'copy',
  },
  'max-transfer': {
    type: 'size',
    help: 'Stop when this much was transferred',
    group: 'copy',
  },
  'cutoff-mode': {
    type: 'string',
    values: ['hard', 'soft', 'cautious'],
    default: 'hard',
    help: 'What --max-transfer and --max-duration do: hard breaks off, soft starts nothing more, cautious stays below',
    group: 'copy',
  },
  'max-duration': {
    type: 'duration',
    help: 'Stop after this time',
    group: 'copy',
  },
  'error-on-no-transfer': {
    type: 'bool',
    help: 'End with exit code 9 when nothing was transferred',
    group: 'copy',
  },
  'order-by': {
    type: 'string',
    placeholder: 'order',
    help: "Order of the transfers: name, size or modtime, e.g. 'size,descending'",
    group: 'copy',
  },
  'check-first': {
    type: 'bool',
    help: 'Finish all comparing before the first transfer starts',
    group: 'copy',
  },
  'create-empty-src-dirs': {
    type: 'bool',
    help: 'Create empty directories of the source at the destination',
    group: 'command',
    commands: transferring,
  },
  'delete-empty-src-dirs': {
    type: 'bool',
    help: 'Delete directories of the source that became empty',
    group: 'command',
    commands: ['move'],
  },
} as const satisfies Record<string, FlagDefinition>;
