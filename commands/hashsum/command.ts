import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

const hashing = ['md5sum', 'sha1sum', 'hashsum'] as const;

export const HASHSUM_FLAGS = commandFlags(hashing, {
  base64: bool('Print the hash as base64 (URL-safe)'),
  'hash-download': bool('Download the files and hash them locally', { name: 'download' }),
  'output-file': text('Write to a file instead of standard output', 'file'),
  checkfile: text('Verify hashes against a SUM file instead of printing them', {
    short: 'C',
    placeholder: 'file',
  }),
});

export const HASHSUM_COMMANDS = commandsOf(() => import('./sums.ts'), HASHSUM_FLAGS, {
  md5sum: usage('[remote:path]', 'Print the MD5 of files or of standard input', {
    transfersNothing: true,
    usesHashes: () => true,
    examples: `
syncer md5sum shelf:documents  # Print the MD5 of all files
syncer md5sum shelf:documents --output-file documents.md5  # Write a SUM file`,
    see: ['checksum', 'check'],
  }),
  sha1sum: usage('[remote:path]', 'Print the SHA-1 of files or of standard input', {
    transfersNothing: true,
    usesHashes: () => true,
    examples: `
syncer sha1sum ~/Documents  # Print the SHA-1 of all files
syncer sha1sum shelf:documents --download  # Download files that have no stored SHA-1`,
    see: ['checksum', 'check'],
  }),
  hashsum: {
    usage: '[hash] [remote:path]',
    transfersNothing: true,
    usesHashes: () => true,
    summary: 'Print hashes of files; without arguments list the supported hashes',
    examples: `
syncer hashsum  # List the supported hashes
syncer hashsum sha256 ~/Documents  # Print the SHA-256 of all files`,
    see: ['checksum', 'check'],
  },
  checksum: usage('hash sumfile remote:path', 'Check the files in a path against a SUM file', {
    transfersNothing: true,
    usesHashes: () => true,
    description: `
Reads a SUM file as written by md5sum or hashsum; - is standard input. A file without a sum counts as missing at the
source, a sum without a file as missing at the destination; --one-way ignores the former.`,
    exits: { 1: 'A file differs, or is missing on one side' },
    examples: `
syncer checksum sha256 SHA256SUMS shelf:release  # Verify the files of a release
syncer checksum md5 - ~/backup < backup.md5  # Read the SUM file from standard input`,
    see: ['hashsum', 'check'],
  }),
});
