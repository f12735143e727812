import type { CommandSummary } from '../src/app/command.ts';

const ONE_PATH = { usage: 'remote:path', args: [1, 1], transfersNothing: true } as const;

/** The commands that do one thing to what a store holds, or ask it for one thing. */
export const STORE_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'checksum',
    usage: 'hash sumfile remote:path',
    args: [3, 3],
    transfersNothing: true,
    summary: 'Check the files of a path against a file of sums',
    description: `
The file of sums is one as md5sum and hashsum write it; - is standard input. Files without a sum count as missing at
the source, sums without a file as missing at the destination; --one-way lets the former be. Ends with exit code 1
when anything differs.`,
    load: async () => (await import('./sums.ts')).checksumCommand,
  },
  {
    name: 'touch',
    ...ONE_PATH,
    summary: 'Set the modification time of files, or make an empty file',
    description: `
A file gets the current time, or the one of --timestamp. Where there is none, an empty one is made unless --no-create
or --recursive is given. For a directory the files in it are touched, with --recursive those below it, too.`,
    load: async () => (await import('./touch.ts')).touchCommand,
  },
  {
    name: 'about',
    usage: 'remote:',
    args: [1, 1],
    transfersNothing: true,
    summary: 'Print how much space a store has and how much of it is used',
    load: async () => (await import('./features.ts')).aboutCommand,
  },
  {
    name: 'copyurl',
    usage: 'https://example.com dest:path',
    args: [1, 2],
    showsStats: true,
    summary: 'Store what is behind a URL as a file',
    description: `
The file has the name dest:path. With --auto-filename dest:path is a directory, and the URL tells the name, after all
redirections. With --stdout, or - for dest:path, it is written to standard output. A file appears when it is complete.`,
    load: async () => (await import('./copyurl.ts')).copyurlCommand,
  },
  {
    name: 'link',
    ...ONE_PATH,
    summary: 'Print a link with which anybody can read a file',
    description: `
On S3 the link is a presigned URL, which is good for a week, or less with --expire, and cannot be withdrawn.`,
    load: async () => (await import('./features.ts')).linkCommand,
  },
  {
    name: 'dedupe',
    usage: '[mode] remote:path',
    args: [1, 2],
    transfersNothing: true,
    summary: 'Find files that are there more than once, and delete all but one',
    description: `
With --by-hash files of the same content are found, whatever their names. The mode says what to do with them:
interactive asks, list prints them, skip leaves them; first, newest, oldest, largest and smallest say which one is
kept. Without --by-hash files of the same name are looked for, which none of the stores that syncer knows can have.`,
    load: async () => (await import('./dedupe.ts')).dedupeCommand,
  },
  {
    name: 'settier',
    usage: 'tier remote:path',
    args: [2, 2],
    transfersNothing: true,
    summary: 'Move the files of a path to another storage class',
    description: `
The tier is the store's own name for it: STANDARD_IA, GLACIER. Filters choose files of a directory.`,
    load: async () => (await import('./features.ts')).settierCommand,
  },
  {
    name: 'obscure',
    usage: 'password',
    args: [1, 1],
    summary: 'Print a password in the form in which the configuration keeps it',
    description: `
That form hides it from the eyes of bystanders and from nobody else. With - the first line of standard input is the
password.`,
    load: async () => (await import('./remotes.ts')).obscureCommand,
  },
];
