import type { FixedOptions } from '../../config/resolve-options.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { type ModTime, modTimeFromMs } from '../../core/mod-time.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { ALL } from '../../engine/consent.ts';
import { type Run, startRun } from '../../engine/run.ts';
import { leaveShortcuts } from '../../engine/shortcuts.ts';
import type { Filter } from '../../filter/filter.ts';
import { parseDuration } from '../../go/quantities.ts';
import { detailReader, dirDetailReader, type WantedDetails } from '../../listing/detail-reader.ts';
import type { Walk } from '../../listing/kept-entries.ts';
import { orderedBatches } from '../../listing/ordered-batches.ts';
import type { ArrangeDir, TreeRow } from '../../listing/tree-rows.ts';
import { listsFlat, walkRows, walkTree } from '../../listing/walk-tree.ts';
import { showOwnNames } from '../../names/hide-own-names.ts';
import type { CommandCall, Remotes } from '../../shell/command-line/command.ts';
import { cannotUse } from '../../shell/flags/exclusions.ts';
import { refuseFilteredFile } from '../remotes/file-or-directory.ts';
import { hashesAtOnce, requestsAtOnce } from '../remotes/remote-flags.ts';

/** The choices of a command for a walk. */
export type WalkChoices = Pick<Walk, 'maxDepth' | 'byDirectory' | 'anyOrder' | 'sizesOnly'>;

/** The path of a listing command, ready to be listed with the filter. */
export interface Listing {
  readonly run: Run;
  readonly remote: Remote;
  /** The file that the path names, if it is one. */
  readonly file: FileEntry | undefined;
  /** Number of parallel requests. */
  readonly atOnce: number;
  /** The same where hashes are read. */
  readonly hashesAtOnce: number;
  /** Replaces unknown times. */
  readonly now: ModTime;
  /** Whether rclone derives the directories from a flat listing of files. */
  isFlat(want: Walk['want'], how?: WalkChoices): boolean;
  entries(want: Walk['want'], how?: WalkChoices): AsyncIterable<readonly Entry[]>;
  files(how?: WalkChoices): AsyncIterable<readonly FileEntry[]>;
  /** The rows of a tree, if directories are listed one by one: memory does not grow with their number. */
  rows(
    want: Walk['want'],
    how: WalkChoices,
    arrange: ArrangeDir,
  ): AsyncIterable<readonly TreeRow[]> | undefined;
  /** The same entries in the same order, files with the wanted details. */
  detailed<E extends Entry>(
    pages: AsyncIterable<readonly E[]>,
    wanted: Omit<WantedDetails, 'useServerModTime'>,
  ): AsyncGenerator<readonly E[]>;
  /** The same listing in an attempt, which counts its errors. */
  within(run: Run): Listing;
  /** Throws the error that decides the exit code if something could not be read. */
  finish(): void;
}

/**
 * Opens a path for listing: the first argument, or `spec`. Rejects with `usage` for a file with filters, as rclone
 * does, unless the command ignores filters (`filtersFile`). `fixed`: see `resolveOptions`; `showsOwn`: with syncer's own
 * files; `leavesShortcuts`: without what is in shortcuts, each of which is logged.
 */
export async function openListing(
  invocation: CommandCall & Remotes,
  spec = invocation.args[0] ?? '',
  how: Readonly<{
    filtersFile?: boolean;
    fixed?: FixedOptions;
    showsOwn?: boolean;
    leavesShortcuts?: boolean;
  }> = {},
): Promise<Listing> {
  const { filtersFile = true, fixed = {}, showsOwn = false, leavesShortcuts = false } = how;
  const { context, bandwidth } = invocation;
  const { remote: shown, file } = await invocation.remotes.openPath(spec, fixed);
  const remote = showsOwn ? showOwnNames(shown) : shown;
  const filter = await invocation.filter();
  if (filtersFile) refuseFilteredFile(filter, file !== undefined, spec);
  const run = startRun({ context, filter, consent: ALL, bandwidth });
  const listed = leavesShortcuts ? leaveShortcuts(remote, run) : remote;
  return listingOf(invocation, { remote: listed, file, filter }, run);
}

function listingOf(
  invocation: CommandCall,
  opened: Pick<Listing, 'remote' | 'file'> & { readonly filter: Filter },
  run: Run,
): Listing {
  const { context, flags } = invocation;
  const { remote, file, filter } = opened;
  const atOnce = requestsAtOnce(flags, remote);
  const startedAt = context.clock.now();
  const walk = (want: Walk['want'], how: WalkChoices = {}): Walk => ({
    ...how,
    remote,
    filter,
    op: run.op,
    want,
    atOnce,
    fastList: flags['fast-list'],
    emit: context.emit,
    onError: (thrown, dir) => run.fail(thrown, dir, 'list-directory'),
  });
  const entries: Listing['entries'] = (want, how) =>
    file === undefined ? walkTree(walk(want, how)) : onePage(want === 'dirs' ? [] : [file]);
  return {
    run,
    remote,
    file,
    atOnce,
    hashesAtOnce: hashesAtOnce(flags, remote),
    now: modTimeFromMs(startedAt - parseDuration(flags['default-time'], startedAt)),
    isFlat(want, how = {}) {
      const depth = how.maxDepth ?? filter.maxDepth;
      if (flags['no-traverse'] && filter.fileList !== undefined) return true;
      if (flags['fast-list'] && (depth < 0 || depth > 1)) return true;
      return depth < 0 && listsFlat(walk(want, how));
    },
    entries,
    rows: (want, how, arrange) =>
      file === undefined ? walkRows(walk(want, how), arrange) : undefined,
    // 'files' yields only files.
    files: (how) => entries('files', how) as AsyncIterable<readonly FileEntry[]>,
    async *detailed(pages, wanted) {
      const onError = (thrown: unknown, path: string) => {
        // rclone also shows an entry that was deleted after it was listed.
        if (!hasCode(thrown, 'file-not-found', 'directory-not-found'))
          return run.fail(thrown, path);
        const text = `Failed to read metadata: ${thrown.message}`;
        return run.log('notice', path, 'message', { text });
      };
      const details = { ...wanted, useServerModTime: flags['use-server-modtime'] };
      const read = detailReader(remote, details, run.op, onError);
      const readDir = dirDetailReader(remote, details, run.op, onError);
      for await (const page of pages) {
        yield* orderedBatches(page, atOnce, (entry) => {
          const detailed = entry.kind === 'dir' ? readDir(entry) : read(entry);
          return detailed as typeof entry | Promise<typeof entry>;
        });
      }
    },
    within: (attempt) => listingOf(invocation, opened, attempt),
    finish() {
      const { deciding } = run.tally;
      if (deciding !== undefined) throw deciding;
    },
  };
}

/** A listing of these entries alone. */
export async function* onePage<E>(page: readonly E[]): AsyncGenerator<readonly E[]> {
  yield page;
}

/** What a capability lists of the root of a remote, without what the filter excludes. Throws `usage` for one that cannot. */
export async function* keptPages(
  list: ((path: string, op: Op) => AsyncIterable<readonly FileEntry[]>) | undefined,
  filter: Filter,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  if (list === undefined) return;
  if (filter.needsMetadata === true) {
    throw cannotUse('filters for metadata', 'old versions', 'listings have no metadata');
  }
  for await (const page of list('', op)) {
    yield filter.passesAll ? page : page.filter((file) => filter.keepFile(file));
  }
}

/** The list of versions of a remote. Rejects with `unsupported` if it keeps none. */
export function versionPages(
  { can, title }: Remote,
  filter: Filter,
  op: Op,
): AsyncGenerator<readonly FileEntry[]> {
  if (can.listVersions !== undefined) return keptPages(can.listVersions, filter, op);
  throw new SyncerError('unsupported', `${title} has no old versions that can be listed`);
}

/** As rclone shows it, the size of a directory without its own: -1, and 0 for prefixes that no flat listing has shown. */
export function shownDirSize(dir: Entry, { traits }: Remote, isFlat: boolean): number {
  const isPrefix = traits.bucketBased && dir.kind === 'dir' && dir.isBucket !== true;
  return isPrefix && !isFlat ? 0 : -1;
}
