import { commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const CHECK_FLAGS = commandFlags(['check'], {
  'check-checkfile': text('Treat the source as a SUM file with this hash, as written by md5sum', {
    name: 'checkfile',
    short: 'C',
    placeholder: 'hash',
  }),
});

export const CHECK_COMMANDS = commandsOf(() => import('./check.ts'), CHECK_FLAGS, {
  check: {
    exclusions: [['queue', 'check-checkfile', 'it is a file of this machine']],
    usage: 'source:path dest:path',
    often: ['checksum', 'download', 'size-only', 'one-way', 'include', 'exclude', 'combined'],
    showsStats: true,
    listed: 'steered',
    transfersNothing: true,
    usesTimes: (flags) => !flags.checksum && !flags['size-only'] && !flags.download,
    usesHashes: () => true,
    summary: 'Check that the files in source and dest are identical',
    description: `
Compares sizes and modification times; with --checksum sizes and hashes, with --download contents, with
--size-only sizes. Changes nothing.`,
    exits: { 1: 'A file differs, or is missing on one side' },
    examples: `
syncer check ~/Documents shelf:documents  # Compare sizes and times
syncer check ~/Documents shelf:documents --download --differ differ.txt  # Compare contents, and list differing files in differ.txt`,
    see: ['checksum', 'sync'],
  },
});
