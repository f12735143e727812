import { PASSES } from '../../src/engine/passes/list.ts';
import { ruleUsesModTimes } from '../../src/engine/rules/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';

const TWO_PATHS = {
  usage: 'source:path dest:path',
  often: ['dry-run', 'progress', 'checksum', 'include', 'exclude', 'review', 'trash', 'transfers'],
  showsStats: true,
  listed: 'steered',
  usesTimes: (flags: Flags) =>
    !(flags.checksum || flags['size-only']) ||
    ruleUsesModTimes(flags) ||
    PASSES.some((pass) => pass.usesModTimes?.(flags) === true),
  usesHashes: () => true,
  exits: {
    8: '--max-transfer was reached',
    9: 'Nothing was transferred, with --error-on-no-transfer',
    10: '--max-duration was reached',
    21: 'A guard stopped the run',
    75: 'Another run holds the lock, with --lock',
  },
} as const;

/** The commands for copy, sync and move. */
export const COPY_COMMANDS = commandsOf(() => import('./transfer.ts'), {
  copy: {
    ...TWO_PATHS,
    changes: true,
    summary: 'Copy files from source to dest, skipping identical files',
    description: `
Deletes nothing at dest. Copies the contents of a source directory, not the directory itself; if source is a file,
copies it into the directory dest. Skips a file if size and modification time are equal. If only the times differ and
both sides support a common hash, compares the hashes, and if they are equal only sets the time.`,
    examples: `
syncer copy ~/Documents shelf:documents -P  # Upload new and changed files
syncer copy shelf:photos ~/photos --include '*.jpg'  # Download the JPEG files only`,
    see: ['sync', 'copyto', 'check', 'filters'],
  },
  sync: {
    ...TWO_PATHS,
    often: [...TWO_PATHS.often, 'backup-dir', 'max-delete', 'guard'],
    changes: true,
    summary: 'Make dest identical to source, changing files at dest only',
    description: `
Copies like copy, then deletes files at dest that are not in source. Deletes only after all transfers, and only if
every listing and every transfer succeeded. Try it with --dry-run first; --backup-dir keeps deleted and overwritten
files.`,
    examples: `
syncer sync ~/Documents shelf:documents --review  # Review the plan, then apply it
syncer sync ~/Documents shelf:documents --backup-dir shelf:old  # Keep deleted and overwritten files in another directory`,
    see: ['copy', 'check', 'filters'],
  },
  move: {
    ...TWO_PATHS,
    changes: true,
    moves: 'to-dest',
    summary: 'Move files from source to dest',
    description: `
Deletes each file at the source once it is safe at dest. Keeps source directories unless --delete-empty-src-dirs is
given.`,
    examples: `
syncer move ~/scans shelf:scans -P  # Upload files and delete them locally
syncer move shelf:inbox shelf:archive --min-age 30d  # Archive files that are older than 30 days`,
    see: ['copy', 'moveto', 'filters'],
  },
  copyto: {
    ...TWO_PATHS,
    changes: true,
    summary: 'Copy files from source to dest; a single file is copied to the name dest',
    description: `
Works like copy, but if source is a file, copies it to the file dest, not into the directory dest.`,
    examples: `
syncer copyto report.pdf shelf:reports/2026.pdf  # Upload a file under another name
syncer copyto shelf:docs/a.txt shelf:docs/b.txt  # Duplicate an object`,
    see: ['copy'],
  },
  moveto: {
    ...TWO_PATHS,
    changes: true,
    moves: 'to-dest',
    summary: 'Move files from source to dest; a single file is moved to the name dest',
    description: `
Works like move, but if source is a file, moves it to the file dest. In the same directory this is a rename.`,
    examples: `
syncer moveto shelf:docs/a.txt shelf:docs/b.txt  # Rename a file
syncer moveto shelf:docs/draft shelf:docs/final --dry-run  # Show what renaming a directory does`,
    see: ['move'],
  },
  convmv: usage('remote:path', 'Rename files and directories in place, by --name-transform', {
    changes: true,
    moves: 'in-place',
    showsStats: true,
    listed: 'steered',
    description: `
--name-transform may be given several times; the changes are made in that order:

none, nfc, nfd, nfkc, nfkd, lowercase, uppercase, titlecase, ascii, url, prefix=X, suffix=X, suffix_keep_extension=X,
trimprefix=X, trimsuffix=X, replace=old:new, regex=pattern/replacement, date=-{YYYYMMDD}, truncate=N,
truncate_keep_extension=N, truncate_bytes=N, truncate_bytes_keep_extension=N, base64encode, base64decode,
encoder=Colon,Slash, decoder=Colon, charmap=ISO-8859-7, iso-8859-1, windows-1252, macintosh, command=/path/to/program.

Each applies to names of files. With dir, or all, before it (all,lowercase) it applies to names of directories, or to
both. A program gets the name as its argument and prints the new one. If the new name is taken, the file keeps its
name, which is an error. Directories that become empty stay unless --delete-empty-src-dirs is given. copy, sync and move
have the same flag.`,
    examples: `
syncer convmv shelf:docs --name-transform lowercase --dry-run  # Show what names would become
syncer convmv shelf:docs --name-transform all,replace=_:-  # Rename files and directories`,
    see: ['move', 'moveto'],
  }),
});
