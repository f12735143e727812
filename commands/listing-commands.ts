import type { CommandSummary } from '../src/app/command.ts';

const ONE_PATH = { usage: 'remote:path', args: [1, 1], transfersNothing: true } as const;
const HASHED = { usage: '[remote:path]', args: [0, 1], transfersNothing: true } as const;

/** The commands that show what a remote holds, and those that work on one path of it. */
export const LISTING_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'ls',
    ...ONE_PATH,
    summary: 'List the files of a path with their sizes',
    load: async () => (await import('./ls.ts')).lsCommand,
  },
  {
    name: 'lsl',
    ...ONE_PATH,
    summary: 'List the files of a path with sizes and modification times',
    load: async () => (await import('./ls.ts')).lslCommand,
  },
  {
    name: 'lsd',
    ...ONE_PATH,
    summary: 'List the directories or buckets of a path, of one level unless -R is given',
    load: async () => (await import('./ls.ts')).lsdCommand,
  },
  {
    name: 'lsf',
    ...ONE_PATH,
    summary: 'List files and directories in a form that is easy to parse',
    description: `
--format chooses what is printed: p path, s size, t modification time, h hash, i ID, o original ID, m MIME type,
T storage tier, M metadata. Directories end in a slash. One level is listed unless -R is given.`,
    load: async () => (await import('./lsf.ts')).lsfCommand,
  },
  {
    name: 'lsjson',
    ...ONE_PATH,
    summary: 'List files and directories as JSON, one object a line',
    load: async () => (await import('./lsjson.ts')).lsjsonCommand,
  },
  {
    name: 'size',
    ...ONE_PATH,
    summary: 'Print the number of files in a path and their total size',
    load: async () => (await import('./size.ts')).sizeCommand,
  },
  {
    name: 'tree',
    ...ONE_PATH,
    summary: 'Draw a path as a tree',
    load: async () => (await import('./tree.ts')).treeCommand,
  },
  {
    name: 'ncdu',
    usage: '[remote:path]',
    args: [0, 1],
    summary: 'Browse a path by the sizes of its directories, and delete, copy or move from there',
    description: `
The browser opens at once and fills while the path is scanned; ? shows its keys. Nothing is deleted without a question,
and with --dry-run and --read-only nothing at all. With --output the scan is written to a file in ncdu's JSON format
instead, which --import, ncdu and gdu show.`,
    load: async () => (await import('./ncdu.ts')).ncduCommand,
  },
  {
    name: 'cat',
    ...ONE_PATH,
    transfersNothing: false,
    summary: 'Print the contents of files',
    description: `
A directory prints all its files one after another. --head, --tail, or --offset with --count print a part of each.`,
    load: async () => (await import('./cat.ts')).catCommand,
  },
  {
    name: 'rcat',
    ...ONE_PATH,
    transfersNothing: false,
    summary: 'Store what comes on standard input as a file',
    description: `
An existing file is replaced, when all of the input is stored. Input of any length is taken as it comes.`,
    load: async () => (await import('./rcat.ts')).rcatCommand,
  },
  {
    name: 'md5sum',
    ...HASHED,
    summary: 'Print the MD5 of every file in a path, or of standard input',
    load: async () => (await import('./sums.ts')).md5sumCommand,
  },
  {
    name: 'sha1sum',
    ...HASHED,
    summary: 'Print the SHA-1 of every file in a path, or of standard input',
    load: async () => (await import('./sums.ts')).sha1sumCommand,
  },
  {
    name: 'hashsum',
    usage: '[hash] [remote:path]',
    args: [0, 2],
    transfersNothing: true,
    summary: 'Print a hash of every file in a path; without arguments the hashes there are',
    load: async () => (await import('./sums.ts')).hashsumCommand,
  },
  {
    name: 'mkdir',
    ...ONE_PATH,
    summary: 'Make a directory or bucket where there is none',
    load: async () => (await import('./directories.ts')).mkdirCommand,
  },
  {
    name: 'rmdir',
    ...ONE_PATH,
    summary: 'Delete an empty directory or bucket',
    load: async () => (await import('./directories.ts')).rmdirCommand,
  },
  {
    name: 'rmdirs',
    ...ONE_PATH,
    summary: 'Delete all empty directories of a path',
    load: async () => (await import('./directories.ts')).rmdirsCommand,
  },
  {
    name: 'delete',
    ...ONE_PATH,
    summary: 'Delete the files of a path that the filter flags choose; directories stay',
    load: async () => (await import('./delete.ts')).deleteCommand,
  },
  {
    name: 'deletefile',
    ...ONE_PATH,
    summary: 'Delete one file',
    load: async () => (await import('./delete.ts')).deletefileCommand,
  },
  {
    name: 'purge',
    ...ONE_PATH,
    summary: 'Delete a directory or bucket with all its contents',
    description: `
Filters are refused: delete is the command that obeys them. With --max-delete the files are counted first, and nothing
is deleted where there are more.`,
    load: async () => (await import('./purge.ts')).purgeCommand,
  },
];
