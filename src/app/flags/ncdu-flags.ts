import { commandFlags } from './flag-definition.ts';

const ncdu = ['ncdu'] as const;

/** Flags of `ncdu`, with the original ncdu's letters. */
export const NCDU_FLAGS = commandFlags(ncdu, {
  'ncdu-output': {
    name: 'output',
    short: 'o',
    type: 'string',
    placeholder: 'file',
    help: "Write the scan to a file in ncdu's JSON format (- for standard output) instead of showing it",
  },
  import: {
    short: 'f',
    type: 'string',
    placeholder: 'file',
    help: 'Show a scan written by --output, ncdu or gdu (- for standard input)',
  },
  'ncdu-read-only': { name: 'read-only', type: 'bool', help: 'Disable delete and move' },
});
