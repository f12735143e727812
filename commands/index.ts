import type { CommandSummary, CommandUsage } from '../src/shell/command-line/command.ts';
import { commandsOf, subcommand, usage } from './commands-of.ts';
import { CONFIG_COMMAND } from './config-commands.ts';
import { HISTORY_COMMANDS } from './history-commands.ts';
import { LISTING_COMMANDS } from './listing-commands.ts';
import { PROGRAM_COMMANDS } from './program-commands.ts';
import { RUNNING_COMMANDS } from './running-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORE_COMMANDS } from './store-commands.ts';

const SUBCOMMANDS: readonly CommandUsage[] = [
  subcommand('list', '', 'List hooks and the results of their last runs'),
  subcommand('history', '[hook]', 'List running and recent runs, newest first'),
  {
    name: 'show',
    usage: 'run',
    summary: 'Show a run: its request, why it was refused, the last lines of its output',
  },
  subcommand('follow', 'run', "Follow a run's output; fail if the run fails"),
  subcommand('rerun', 'run', 'Run a hook again with the request of an earlier run, and follow it'),
];

/** The command to watch a hook server. */
const HOOK_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./hooks/hooks.ts'), {
    hooks: {
      noun: true,
      usage: '',
      summary:
        'Watch a hook server: its hooks, their runs and output, and why requests were refused',
      description: `
Connects to a local webhook started with -control, over a socket that only its user can access. On a terminal it opens
a screen; elsewhere, and with --plain, it lists the hooks. Running a refused request again checks its rules again;
other requests run unchecked.`,
      subcommands: SUBCOMMANDS,
    },
  }),
];

/** The commands about mounts. */
const MOUNT_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./mount/mount.ts'), {
    mount: usage('remote:path /path/to/mountpoint', 'Mount a remote as a file system', {
      endsItself: true,
      description: `
The mount point must be an empty directory. The command runs until the file system is unmounted; with --daemon it
returns as soon as the mount is ready. To unmount, run

    syncer unmount /path/to/mountpoint

or use fusermount -u, umount, Ctrl-C or SIGTERM. Unmounting waits for pending uploads, at most as long as
--drain-timeout; the next mount of the same remote resumes the rest. SIGHUP refreshes all directory listings.

Without --vfs-cache-mode, files can only be written from start to end. Most programs need --vfs-cache-mode writes;
databases, and programs that read the same data repeatedly, need full.`,
    }),
    mounts: usage('', 'List mounts with their pending uploads and cache usage', { noun: true }),
    unmount: usage('/path/to/mountpoint', 'Unmount a remote', {
      description: `
Fails if the mount is in use. Pending uploads continue in the background. With --wait, finishes pending uploads first,
then unmounts even if the mount is in use, and returns when the mount process has ended.`,
    }),
  }),
];

const TWO_PATHS = {
  usage: 'source:path dest:path',
  showsStats: true,
  listed: 'steered',
} as const;

/** Every command: its usage, and how to load it. */
export const COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./copy/transfer.ts'), {
    copy: {
      ...TWO_PATHS,
      changes: true,
      summary: 'Copy files from source to dest, skipping identical files',
      description: `
Deletes nothing at dest. Copies the contents of a source directory, not the directory itself; if source is a file,
copies it into the directory dest. Skips a file if size and modification time are equal. If only the times differ and
both sides support a common hash, compares the hashes, and if they are equal only sets the time.`,
    },
    sync: {
      ...TWO_PATHS,
      changes: true,
      summary: 'Make dest identical to source, changing files at dest only',
      description: `
Copies like copy, then deletes files at dest that are not in source. Deletes only after all transfers, and only if
every listing and every transfer succeeded. Try it with --dry-run first; --backup-dir keeps deleted and overwritten
files.`,
    },
    move: {
      ...TWO_PATHS,
      changes: true,
      summary: 'Move files from source to dest',
      description: `
Deletes each file at the source once it is safe at dest. Keeps source directories unless --delete-empty-src-dirs is
given.`,
    },
    copyto: {
      ...TWO_PATHS,
      changes: true,
      summary: 'Copy files from source to dest; a single file is copied to the name dest',
      description: `
Works like copy, but if source is a file, copies it to the file dest, not into the directory dest.`,
    },
    moveto: {
      ...TWO_PATHS,
      changes: true,
      summary: 'Move files from source to dest; a single file is moved to the name dest',
      description: `
Works like move, but if source is a file, moves it to the file dest. In the same directory this is a rename.`,
    },
    convmv: usage('remote:path', 'Rename files and directories in place, by --name-transform', {
      changes: true,
      showsStats: true,
      listed: 'steered',
      description: `
--name-transform may be given several times; the changes are made in that order:

none, nfc, nfd, nfkc, nfkd, lowercase, uppercase, titlecase, ascii, url, prefix=X, suffix=X, suffix_keep_extension=X,
trimprefix=X, trimsuffix=X, replace=old:new, regex=pattern/replacement, date=-{YYYYMMDD}, truncate=N,
truncate_keep_extension=N, truncate_bytes=N, truncate_bytes_keep_extension=N, base64encode, base64decode,
encoder=Colon,Slash, decoder=Colon, charmap=ISO-8859-7, iso-8859-1, windows-1252, macintosh, command=/path/to/program.

Each applies to names of files. With dir, or all, before it (all,lowercase) it applies to names of directories, or to
both. A program gets the name as its argument and prints the new one. A file whose new name is taken keeps its name,
which is an error. Directories that become empty stay unless --delete-empty-src-dirs is given. copy, sync and move
have the same flag.`,
    }),
  }),
  ...commandsOf(() => import('./bisync/bisync.ts'), {
    bisync: {
      usage: 'path1 path2',
      showsStats: true,
      changes: true,
      listed: 'steered',
      summary: 'Make two directories equal, with the changes of both since the last run',
      description: `
Compares both sides with what they had after the last run: what is new or changed on one side is copied to the other,
what was deleted on one side is deleted on the other. The first run deletes nothing: each side gets what only the other
has. A file that was changed on one side and deleted on the other is kept. If both sides changed a file, the newer one
keeps the name, and the other one is renamed to NAME.conflict-DATE-path1 or -path2, on both sides. Files that fail are
tried again by the next run and do not delay others.`,
    },
  }),
  {
    name: 'apply',
    usage: 'plan.json',
    summary: 'Make exactly the changes of a plan saved with --save',
    description: `
Runs the command of the plan again, and changes only what the plan holds and what is still as the plan says: size, time
and ETag of both sides. Everything else is skipped and listed, and the exit code is then 22. With --review, shows the
plan, or prints it where there is no terminal; with --dry-run, compares and changes nothing. Both print the command of
the plan. Flags given here win over those of the plan, which may only hold flags that decide about files.`,
    expand: async ({ args: [path = ''], flagWords }, { env }) => {
      const { applyWords } = await import('../src/run/review/saved-plan-file.ts');
      return applyWords(path, flagWords, env);
    },
  },
  {
    name: 'run',
    usage: 'job',
    summary: 'Run a saved job',
    description: `
Runs the command line that was saved under this name with syncer job; flags given here are added to it, and win over
those of the job. With --check, compares the two paths of the job instead; with --review, shows its plan first.`,
    expand: async ({ args: [name = ''], flags, flagWords }, { env }) => {
      const { findJob } = await import('../src/shell/job-file.ts');
      const job = await findJob(name, flags, env);
      const { runWords } = await import('./job/job-words.ts');
      return runWords(job, flagWords, env, flags['check-job']);
    },
  },
  ...commandsOf(() => import('./job/jobs.ts'), {
    job: usage('[job [-- command…]]', 'Save a command line as a job, list jobs, or show one', {
      noun: true,
      args: [0, 10_000],
      description: `
A job is a name for a copy, sync, move, check, delete or cleanup with its paths and flags. syncer run runs it, from a
shell, cron or the home screen. Local paths are saved as absolute paths. Jobs are in jobs.json beside the configuration
file.

--print-unit prints a systemd service and a timer that runs the job.`,
    }),
  }),
  ...commandsOf(() => import('./why/why.ts'), {
    why: {
      noun: true,
      usage: 'source:path dest:path path',
      summary: 'Explain what a sync would do with one path, and why',
      description: `
Give it the flags of the run. Shows both entries as they are listed, the filter rule that decides, with its file and
line, each comparison with its numbers, the guards, other runs that change the same place and what --lock makes of them,
where --trash keeps the old file, and the requests that would follow; the last line is the verdict in the words of -vv.
Changes nothing, and lists only the directories above the path; with --track-renames it lists both trees if the file is
on one side only, since it may be another one renamed.`,
    },
  }),
  ...commandsOf(() => import('./guard/guard.ts'), {
    guard: usage('', 'Mark directories, so that a sync can see that they are there', {
      noun: true,
      subcommands: [
        subcommand('init', 'remote:path', 'Create a marker for --guard marker', {
          description: `
Writes the file .syncer-guard with a random value to the directory, and remembers the value. A sync from this directory
with --guard marker changes nothing if the file is missing, as it is if the disk is not mounted, or has another value,
as on another disk. If the file exists, only remembers its value. No command lists, copies or deletes it, except purge
of the directory.`,
        }),
      ],
    }),
  }),
  ...commandsOf(() => import('./check/check.ts'), {
    check: {
      ...TWO_PATHS,
      transfersNothing: true,
      summary: 'Check that the files in source and dest are identical',
      description: `
Compares sizes and modification times; with --checksum sizes and hashes, with --download contents, with
--size-only sizes. Changes nothing. Exits with code 1 if anything differs.`,
    },
  }),
  ...HISTORY_COMMANDS,
  ...commandsOf(() => import('./scrub/scrub-command.ts'), {
    scrub: usage('remote:path', 'Read files again and find those that changed without a trace', {
      showsStats: true,
      transfersNothing: true,
      description: `
Compares the content of each file with the hash that an earlier run recorded: any run that computed hashes, or the last
scrub. Files that were not verified for the longest time come first. A file is suspect if its content has changed but
its size and modification time have not. Suspects are kept in a list until they are settled; sync --checksum does not
copy them over another version. Changes nothing. Exits with code 1 if there are suspects or unreadable files.

On S3 and cloud drives only ETags and hashes of the listing are compared unless --download is given.`,
    }),
  }),
  ...LISTING_COMMANDS,
  ...STORE_COMMANDS,
  ...commandsOf(() => import('./delete/delete.ts'), {
    cleanup: usage('remote:path', 'Delete leftovers of interrupted runs', {
      description: `
On S3: aborts multipart uploads older than --older-than that were never completed. On local disks: deletes temporary
files whose process has ended, and temporary files of other machines that have not changed for that long. On cloud
drives: deletes the old versions of all files, whatever their age, and unfinished copies; a file that was moved aside
for another one gets its name back, or is deleted if the name is taken.`,
    }),
  }),
  ...SERVE_COMMANDS,
  ...commandsOf(() => import('./remotes/remotes.ts'), {
    listremotes: usage('[filter]', 'List the configured remotes', {
      description: `
The filter is a pattern for any of name, type, source and description; --name, --type, --source and --description are
patterns for one of them. A pattern matches a part of the text, with --exact the whole: --type s matches alias too.`,
    }),
    authorize: {
      usage: 'backend [client_id [client_secret]]',
      secretArg: 2,
      summary: 'Log in to a cloud drive and print the token for another machine',
      description: `
Opens the login in the browser, waits until you have logged in, and prints the token as JSON between two markers.
Without a display, and with --device, shows a link and a code for logging in on another device. Flags such as
--onedrive-tenant and --onedrive-region choose where to log in.`,
    },
  }),
  CONFIG_COMMAND,
  ...RUNNING_COMMANDS,
  ...MOUNT_COMMANDS,
  ...HOOK_COMMANDS,
  ...PROGRAM_COMMANDS,
];
