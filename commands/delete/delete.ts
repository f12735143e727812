import { openReviewScreen } from '../../components/open.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { Entry, FileEntry, Remote } from '../../src/core/remote.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { deleteFiles } from '../../src/engine/loss/delete-files.ts';
import { versionLoss } from '../../src/engine/loss/lose.ts';
import { purgeRoot } from '../../src/engine/loss/purge-root.ts';
import { deleteLeftTrials, isLeftTrial } from '../../src/engine/place/trial-file.ts';
import { inReview, type Run } from '../../src/engine/run.ts';
import { hasBuckets } from '../../src/engine/without-bucket.ts';
import { showOwnNames } from '../../src/names/hide-own-names.ts';
import { guardCount } from '../../src/run/guards/count-guard.ts';
import { type Listing, openListing } from '../../src/run/listing/open-listing.ts';
import { withPlaces } from '../../src/run/presence/with-places.ts';
import { fileForDirectory, openDirectory } from '../../src/run/remotes/file-or-directory.ts';
import { LIST_LINKS, requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import type { ReviewNeeds } from '../../src/run/review/run-review.ts';
import { refuseInside } from '../../src/run/transfer/refuse-inside.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Changing, CommandCall, Remotes } from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import type { DELETE_FLAGS } from './command.ts';
import { deleteEmptyTree } from './delete-empty-tree.ts';

export async function deleteCommand(invocation: ReviewNeeds<typeof DELETE_FLAGS>): Promise<void> {
  const { passesAll } = await invocation.filter();
  const deletesOnly = passesAll ? 'all goes' : 'chosen by the filter';
  await reviewed(invocation, { title: 'delete', show: openReviewScreen, deletesOnly }, runDelete);
}

async function runDelete(
  invocation: CommandCall<typeof DELETE_FLAGS> & Remotes & Changing,
): Promise<void> {
  const { flags } = invocation;
  const opened = await openListing(invocation, undefined, { leavesShortcuts: true });
  const budget = deleteBudget(flags);
  const isFile = opened.file !== undefined;
  if (!isFile) await refuseInside(invocation, '--trash-dir', flags['trash-dir'], [opened.remote]);
  const places = { remotes: [opened.remote], isFile };
  await withPlaces(invocation, places, async ({ context, whileLocked }) => {
    const remote = whileLocked(opened.remote);
    await guardCount(invocation, () => opened);
    await runAttempts(
      { ...invocation, context },
      async (attempt) => {
        const listing = { ...opened.within(attempt), remote };
        const refusal = await refuseAll(attempt, remote);
        if (refusal !== undefined) throw refusal;
        const listed = listing.files({ anyOrder: true });
        const files = attempt.consent.how === 'collect' ? await Array.fromAsync(listed) : listed;
        await inReview(attempt, async (run) => {
          await deleteFiles(run, remote, files, { width: listing.atOnce });
          if (!flags.rmdirs || listing.file !== undefined || run.tally.count > 0) return;
          // What the filter has left is no error.
          await deleteEmptyTree(run, listing, { leaveRoot: true, mustBeEmpty: false });
        });
      },
      budget,
    );
  });
}

/** Why not all files of all buckets may be deleted; `undefined` if that is allowed, or a filter chooses some. */
async function refuseAll(run: Run, remote: Remote): Promise<SyncerError | undefined> {
  const { passesAll, maxDepth } = run.filter;
  if (!hasBuckets(remote) || !passesAll || maxDepth >= 0) return undefined;
  const buckets: string[] = [];
  for await (const page of listDir(remote, '', run.op, () => {}))
    for (const { path } of page) buckets.push(path);
  return buckets.length === 0 ? undefined : run.checkBuckets?.(buckets, false);
}

export async function deletefileCommand(
  invocation: CommandCall & Remotes & Changing,
): Promise<void> {
  const { args, flags } = invocation;
  const [spec = ''] = args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) {
    const text = `${spec} is a directory or doesn't exist`;
    throw new SyncerError('file-not-found', text, { path: spec });
  }
  const deleting = (attempt: Run) => deleteFiles(attempt, remote, [[file]], { width: 1 });
  await runAttempts(invocation, deleting, deleteBudget(flags));
}

export async function cleanupCommand(
  invocation: CommandCall<typeof DELETE_FLAGS> & Remotes & Changing,
): Promise<void> {
  const { args, flags } = invocation;
  const opened = await openListing(invocation, args[0], { filtersFile: false, showsOwn: true });
  if (opened.file !== undefined) throw fileForDirectory(args[0] ?? '');
  const { remote } = opened;
  const { can, title } = remote;
  const { cleanUp } = can;
  if (cleanUp === undefined) {
    throw new SyncerError('unsupported', `${title} has nothing to clean up`);
  }
  const budget = deleteBudget(flags);
  if (remote.traits.carries !== undefined && budget.isLimited) {
    const why = 'rclone deletes old versions without counting them';
    throw cannotUse('--max-delete or --max-delete-size', `cleanup of ${title}`, why);
  }
  await runAttempts(
    invocation,
    async (run) => {
      if (!(await run.mayChange({ do: 'other', words: 'clean up old files', about: title })))
        return;
      const onNotDeleted = (path: string, error: Error) => run.fail(error, path, 'delete');
      const loseVersion = versionLoss(run, remote);
      await cleanUp(flags['older-than'], { ...run.op, change: { onNotDeleted, loseVersion } });
      if (can.place?.kind === 'disk') return;
      const left: FileEntry[] = [];
      for await (const page of opened.within(run).files())
        for (const file of page) if (isLeftTrial(file)) left.push(file);
      await deleteLeftTrials(run, remote, left);
    },
    budget,
  );
}

export const purgeCommand = (invocation: ReviewNeeds) =>
  reviewed(invocation, { title: 'purge', show: openReviewScreen, deletesOnly: 'all goes' }, run);

async function run(invocation: CommandCall & Remotes & Changing): Promise<void> {
  const { flags, args } = invocation;
  const { hasRules, maxDepth } = await invocation.filter();
  if (hasRules) {
    // They would not protect anything: refused, in rclone's words.
    const why = 'purge will delete everything unconditionally';
    throw new SyncerError('usage', `filters are not supported with purge (${why})`);
  }
  const opened = showOwnNames(await openDirectory(invocation));
  await refuseInside(invocation, '--trash-dir', flags['trash-dir'], [opened]);
  const keepsTrash = flags.trash && !flags['trash-dir'];
  const [spec = ''] = args;
  const budget = deleteBudget(flags);
  // Links are deleted too, and counted.
  const fixed = opened.traits.onDisk ? LIST_LINKS : {};
  const isLimited = budget.isLimited || maxDepth >= 0;
  const listing = isLimited ? await openListing(invocation, spec, { fixed }) : undefined;
  const all = () => listing ?? openListing(invocation, spec, { fixed });
  await withPlaces(
    invocation,
    { remotes: [opened], isFile: false },
    async ({ context, whileLocked }) => {
      const remote = whileLocked(opened);
      await guardCount(invocation, all);
      await runAttempts(
        { ...invocation, context },
        async (attempt) => {
          const { op } = attempt;
          const counted = listing && countedOf(listing.within(attempt), maxDepth);
          const begin = async () => {
            // It goes with the rest, which is not listed file by file.
            if (remote.can.purge === undefined || !(await remote.stat(OWN_NAMES.guard, op))) return;
            const text = `Deleting its marker ${OWN_NAMES.guard}, too`;
            attempt.log('notice', remote.title, 'message', { text });
          };
          try {
            const width = requestsAtOnce(flags, remote);
            await purgeRoot(attempt, remote, { width, counted, begin, keepsTrash });
          } catch (thrown) {
            // On a backend without real directories an empty one is not missing, if its bucket exists.
            if (remote.traits.emptyDirs || !hasCode(thrown, 'directory-not-found')) throw thrown;
            const { entries } = await remote.listPage('', undefined, op);
            if (entries.length > 0) throw thrown;
          }
        },
        budget,
      );
    },
  );
}

/** All entries of a purge, which deletes them whatever the filter. Throws `usage` for one deeper than `--max-depth`. */
async function* countedOf(listing: Listing, maxDepth: number): AsyncGenerator<readonly Entry[]> {
  for await (const entries of listing.entries('all', { maxDepth: -1, anyOrder: true })) {
    for (const { path } of entries) {
      if (maxDepth < 0 || path.split('/').length <= maxDepth) continue;
      const text = `purge deletes everything, but "${path}" is deeper than --max-depth ${maxDepth}`;
      throw new SyncerError('usage', text, { path });
    }
    yield entries;
  }
  // Unreadable directories were not counted.
  listing.finish();
}
