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
    help: 'The time to set: YYMMDD or YYYY-MM-DDThh:mm:ss.sss, in UTC',
    group: 'command',
    commands: touch,
  },
  localtime: {
    type: 'bool',
    help: 'The time is local time, not UTC',
    group: 'command',
    commands: touch,
  },
  'no-create': {
    short: 'C',
    type: 'bool',
    help: 'Make no file where there is none (as with --recursive)',
    group: 'command',
    commands: touch,
  },
  full: {
    type: 'bool',
    help: 'Print whole numbers, without suffixes',
    group: 'command',
    commands: ['about'],
  },
  'auto-filename': {
    short: 'a',
    type: 'bool',
    help: "Name the file as the URL's last part, in the directory that is given",
    group: 'command',
    commands: copyurl,
  },
  'header-filename': {
    type: 'bool',
    help: 'With --auto-filename: take the name from the header Content-Disposition',
    group: 'command',
    commands: copyurl,
  },
  'print-filename': {
    short: 'p',
    type: 'bool',
    help: 'Print the name of the file',
    group: 'command',
    commands: copyurl,
  },
  'no-clobber': {
    type: 'bool',
    help: 'Fail where there is a file of that name',
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
    defaultText: 'as late as the store allows',
    help: 'How long the link is good',
    group: 'command',
    commands: ['link'],
  },
  unlink: {
    type: 'bool',
    help: 'Withdraw the link',
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
    help: 'What to do with duplicates: interactive, skip, list, rename, or which one to keep',
    group: 'command',
    commands: ['dedupe'],
  },
  'by-hash': {
    type: 'bool',
    help: 'Find files of equal hashes, not of equal names',
    group: 'command',
    commands: ['dedupe'],
  },
} as const satisfies Record<string, FlagDefinition>;
