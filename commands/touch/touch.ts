import { wholeSource } from '../../src/core/body.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { joinModTime, type ModTime, modTimeFromMs } from '../../src/core/mod-time.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { changeEachFile, type EachFile } from '../../src/engine/each-file.ts';
import type { Run } from '../../src/engine/run.ts';
import { listingDepth } from '../../src/run/listing/listed-entries.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { splitFileSpec } from '../../src/run/remotes/file-or-directory.ts';
import { FOLLOW_LINKS, SKIP_LINKS } from '../../src/run/remotes/remote-flags.ts';
import { uploadTarget } from '../../src/run/transfer/input-source.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Changing, CommandCall, Remotes } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import type { TOUCH_FLAGS } from './command.ts';

type TouchNeeds = CommandCall<typeof TOUCH_FLAGS> & Remotes & Changing;

export async function touchCommand(invocation: TouchNeeds): Promise<void> {
  const { args, flags, context } = invocation;
  const [spec = ''] = args;
  const modTime = flags.timestamp
    ? parseTouchTime(flags.timestamp, flags.localtime)
    : modTimeFromMs(context.clock.now());
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file !== undefined) return touchOne(invocation, remote, file, modTime);
  const { emptyDirs } = remote.traits;
  // Without real directories, only `--recursive` says that it is one.
  const isDirectory = emptyDirs
    ? (await remote.stat('', { signal: context.signal }))?.kind === 'dir' || spec.endsWith('/')
    : flags.recursive;
  if (isDirectory) {
    const opened = await openListing(invocation);
    const maxDepth = listingDepth(flags);
    let count = 0;
    await runAttempts(invocation, async (attempt) => {
      const listing = opened.within(attempt);
      // 'files' yields only files.
      const pages = listing.entries('files', { maxDepth }) as AsyncIterable<readonly FileEntry[]>;
      const how = { modTime, width: listing.atOnce };
      count = await touchFiles(attempt, listing.remote, pages, how);
    });
    if (count > 0 || emptyDirs) return;
  }
  await create(invocation, remote, modTime);
}

async function touchOne(
  invocation: TouchNeeds,
  remote: Remote,
  file: FileEntry,
  modTime: ModTime,
): Promise<void> {
  await runAttempts(invocation, async (attempt) => {
    await touchFiles(attempt, remote, [[file]], { modTime, width: 1 });
  });
}

/** Creates an empty file unless a flag forbids it; if the path is a link, touches its target. */
async function create(invocation: TouchNeeds, found: Remote, modTime: ModTime): Promise<void> {
  const { args, flags, context } = invocation;
  const [spec = ''] = args;
  const skip = (about: string, why: string) =>
    context.emit(logText('notice', `Not touching ${why}`, about));
  if (spec.endsWith('/')) return skip(found.title, 'empty directory');
  const { dir, leaf } = splitFileSpec(spec);
  const op = { signal: context.signal };
  const { onDisk } = found.traits;
  // Otherwise links are not listed, and the new file would replace the link.
  const remote = await invocation.remotes.openDir(dir, onDisk && !flags.links ? FOLLOW_LINKS : {});
  const linked = onDisk ? await remote.stat(leaf, op) : undefined;
  if (linked?.kind === 'file') return touchOne(invocation, remote, linked, modTime);
  if (onDisk && !flags.links) await refuseLink(invocation, spec);
  if (onDisk && flags.links && (await remote.stat(`${leaf}.rclonelink`, op)) !== undefined) {
    const text = `${spec} is a link; with --links it is ${leaf}.rclonelink`;
    throw new SyncerError('already-exists', text);
  }
  if (flags['no-create']) return skip(remote.title, 'nonexistent file due to --no-create');
  if (flags.recursive) return skip(remote.title, 'nonexistent file due to --recursive');
  const source = wholeSource(uploadTarget(invocation, leaf, modTime), Buffer.alloc(0));
  await runAttempts(invocation, async ({ mayChange, op }) => {
    if (!(await mayChange({ do: 'other', words: 'touch (create)', about: remote.title }))) return;
    await remote.write(source, { ...op, change: { replaces: 'nothing' } });
  });
}

/** Throws if the file would be created instead of a link that leads to no file, or of a pipe. */
async function refuseLink(invocation: CommandCall & Remotes, spec: string): Promise<void> {
  const { dir, leaf } = splitFileSpec(spec);
  const remote = await invocation.remotes.openDir(dir, SKIP_LINKS);
  const what = await remote.can.unlistedAt?.(leaf, { signal: invocation.context.signal });
  if (what === undefined) return;
  throw new SyncerError('not-a-file', `${spec} is ${what}, and does not lead to a file`, {
    path: spec,
    advice: 'create the target of the link, or delete it',
  });
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,9}))?$/;

/**
 * Reads the time of `touch --timestamp`: `171030`, `2006-01-02T15:04:05`, `2006-01-02T15:04:05.123456789`, in UTC,
 * with `isLocal` in local time. Years of two digits are 1969 to 2068, as in Go. Throws `usage` for other text.
 */
export function parseTouchTime(text: string, isLocal: boolean): ModTime {
  const short = /^(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (short !== null) {
    const [year = 0, month = 0, day = 0] = short.slice(1).map(Number);
    const found = timeOf([year + (year < 69 ? 2000 : 1900), month, day, 0, 0, 0], isLocal);
    if (found !== undefined) return joinModTime(found, 0);
  }
  // rclone 1.60.1 recognises a date and time by its length alone.
  const long = text.length < 19 ? null : DATE_TIME.exec(text);
  if (long !== null) {
    const found = timeOf(long.slice(1, 7).map(Number), isLocal);
    if (found !== undefined) return joinModTime(found, Number((long[7] ?? '').padEnd(9, '0')));
  }
  throw new SyncerError(
    'usage',
    `not a time for --timestamp: "${text}" (examples: 171030, 2006-01-02T15:04:05, 2006-01-02T15:04:05.123456789)`,
  );
}

/** Seconds since the epoch; `undefined` for days and hours that do not exist. */
function timeOf(parts: readonly number[], isLocal: boolean): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCDate() !== day) return undefined;
  if (isLocal) {
    date.setFullYear(year, month - 1, day);
    date.setHours(hour, minute, second, 0);
  } else {
    date.setUTCHours(hour, minute, second, 0);
  }
  return date.getTime() / 1000;
}

/**
 * Sets the modification time of files, `width` in parallel; resolves to their number. Rejects with `unsupported` if
 * the remote cannot set times.
 */
export async function touchFiles(
  run: Run,
  remote: Remote,
  pages: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  { modTime, width }: { readonly modTime: ModTime; readonly width: number },
): Promise<number> {
  const { setModTime } = remote.can;
  if (setModTime === undefined) {
    throw new SyncerError('unsupported', `${remote.title} can't set modification times`);
  }
  const how: EachFile = { width, action: 'touch', doing: 'touch' };
  return changeEachFile(run, pages, how, (file) => setModTime(file, modTime, run.op));
}
