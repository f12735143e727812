import type { DedupeMode } from '../../sync/dedupe-mode.ts';
import type { FlagDefinition } from './flag-definition.ts';

const touch = ['touch'] as const;
const copyurl = ['copyurl'] as const;

/** Flags of the commands that do one thing to a store: touch, about, copyurl, link, dedupe. */
export const STORE_FLAGS = {
  timestamp: {
    short: 't',
    type: 'string',
    placeholder: 'time',
    defaultText: 'now',
    help: 'Time to set in UTC: YYMMDD or YYYY-MM-DDThh:mm:ss.sss',
    group: 'command',
    commands: touch,
  },
  localtime: {
    type: 'bool',
    help: 'Read --timestamp as local time, not UTC',
    group: 'command',
    commands: touch,
  },
  'no-create': {
    short: 'C',
    type: 'bool',
    help: 'Do not create a missing file (implied by --recursive)',
    group: 'command',
    commands: touch,
  },
  full: {
    type: 'bool',
    help: 'Print sizes in bytes without suffixes',
    group: 'command',
    commands: ['about'],
  },
  'auto-filename': {
    short: 'a',
    type: 'bool',
    help: 'Take the file name from the URL; dest:path is a directory',
    group: 'command',
    commands: copyurl,
  },
  'header-filename': {
    type: 'bool',
    help: 'With --auto-filename, take the name from the Content-Disposition header',
    group: 'command',
    commands: copyurl,
  },
  'print-filename': {
    short: 'p',
    type: 'bool',
    help: 'Print the file name',
    group: 'command',
    commands: copyurl,
  },
  'no-clobber': {
    type: 'bool',
    help: 'Do not overwrite an existing file',
    group: 'command',
    commands: copyurl,
  },
  stdout: {
    type: 'bool',
    help: 'Write to standard output instead of a file',
    group: 'command',
    commands: copyurl,
  },
  expire: {
    type: 'duration',
    defaultText: 'the maximum of the backend',
    help: 'How long the link is valid',
    group: 'command',
    commands: ['link'],
  },
  unlink: {
    type: 'bool',
    help: 'Revoke the link',
    group: 'command',
    commands: ['link'],
  },
  'dedupe-mode': {
    type: 'string',
    default: 'interactive',
    values: [
      ...(['interactive', 'skip', 'first', 'newest', 'oldest'] as const),
      ...(['largest', 'smallest', 'rename', 'list'] as const),
    ] satisfies readonly DedupeMode[],
    placeholder: 'mode',
    help: 'What to do with duplicates: interactive, skip, list, rename, or the one to keep',
    group: 'command',
    commands: ['dedupe'],
  },
  'by-hash': {
    type: 'bool',
    help: 'Find files with equal hashes, not equal names',
    group: 'command',
    commands: ['dedupe'],
  },
} as const satisfies Record<string, FlagDefinition>;
