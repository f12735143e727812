import type { DedupeMode } from '../../sync/dedupe-mode.ts';
import { commandFlags } from './flag-definition.ts';

const touch = ['touch'] as const;
const copyurl = ['copyurl'] as const;

/** Flags of touch, about, copyurl, link and dedupe. */
export const STORE_FLAGS = {
  ...commandFlags(touch, {
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
  ...commandFlags(copyurl, {
    'auto-filename': {
      short: 'a',
      type: 'bool',
      help: 'Take the file name from the URL; dest:path is a directory',
    },
    'header-filename': {
      type: 'bool',
      help: 'With --auto-filename, take the name from the Content-Disposition header',
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
};
