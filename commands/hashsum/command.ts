import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

const hashing = ['md5sum', 'sha1sum', 'hashsum'] as const;

/** Flags of `hashsum` alone. */
export const HASHSUM_FLAGS = commandFlags(hashing, {
  base64: bool('Print the hash as base64 (URL-safe)'),
  'hash-download': bool('Download the files and hash them locally', { name: 'download' }),
  'output-file': text('Write to a file instead of standard output', { placeholder: 'file' }),
  checkfile: text('Verify hashes against a SUM file instead of printing them', {
    short: 'C',
    placeholder: 'file',
  }),
});

/** The commands for hashes. */
export const HASHSUM_COMMANDS = commandsOf(() => import('./sums.ts'), HASHSUM_FLAGS, {
  md5sum: usage('[remote:path]', 'Print the MD5 of files or of standard input', {
    transfersNothing: true,
    usesHashes: () => true,
  }),
  sha1sum: usage('[remote:path]', 'Print the SHA-1 of files or of standard input', {
    transfersNothing: true,
    usesHashes: () => true,
  }),
  hashsum: {
    usage: '[hash] [remote:path]',
    transfersNothing: true,
    usesHashes: () => true,
    summary: 'Print hashes of files; without arguments list the supported hashes',
  },
  checksum: usage('hash sumfile remote:path', 'Check the files in a path against a SUM file', {
    transfersNothing: true,
    usesHashes: () => true,
    description: `
Reads a SUM file as written by md5sum or hashsum; - is standard input. A file without a sum counts as missing at the
source, a sum without a file as missing at the destination; --one-way ignores the former. Exits with code 1 if anything
differs.`,
  }),
});
