import { openReviewScreen } from '../../components/open.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { inReview } from '../../src/engine/approval.ts';
import { deleteFiles } from '../../src/engine/delete-files.ts';
import { deleteLeftTrials, isLeftTrial } from '../../src/engine/place/trial-file.ts';
import { purgeRoot, showsPurge } from '../../src/engine/purge-root.ts';
import type { Run } from '../../src/engine/run.ts';
import { deleteBudget } from '../../src/engine/run-limits.ts';
import { hasBuckets } from '../../src/engine/without-bucket.ts';
import { showOwnNames } from '../../src/names/hide-own-names.ts';
import { guardCount } from '../../src/run/guards/count-guard.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { takePlaces } from '../../src/run/presence/take-places.ts';
import { fileForDirectory, openDirectory } from '../../src/run/remotes/file-or-directory.ts';
import { LIST_LINKS, requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { refuseInside } from '../../src/run/transfer/refuse-inside.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { deleteLimits } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import type { DELETE_FLAGS } from './command.ts';
import { deleteEmptyTree } from './delete-empty-tree.ts';

export const deleteCommand: Command<typeof DELETE_FLAGS> = async (invocation) => {
  const { passesAll } = await invocation.filter();
  const deletesOnly = passesAll ? 'all goes' : 'chosen by the filter';
  await reviewed(invocation, { title: 'delete', show: openReviewScreen, deletesOnly }, runDelete);
};

async function runDelete(invocation: Invocation<typeof DELETE_FLAGS>): Promise<void> {
  const { flags } = invocation;
  const opened = await openListing(invocation, undefined, { leavesShortcuts: true });
  const budget = deleteBudget(...deleteLimits(flags));
  const isFile = opened.file !== undefined;
  if (!isFile) await refuseInside(invocation, '--trash-dir', flags['trash-dir'], [opened.remote]);
  const places = { remotes: [opened.remote], isFile };
  const { context, hold, release } = await takePlaces(invocation, places);
  const remote = hold(opened.remote);
  try {
    await guardCount(invocation, () => opened);
    await runAttempts({ ...invocation, context }, async (attempt) => {
      const listing = { ...opened.within(attempt), remote };
      const refusal = await refuseAll(attempt, remote);
      if (refusal !== undefined) throw refusal;
      const listed = listing.files({ anyOrder: true });
      const files = attempt.approval?.plans === true ? await Array.fromAsync(listed) : listed;
      await inReview(attempt, async () => {
        await deleteFiles(attempt, remote, files, { budget, width: listing.atOnce });
        if (!flags.rmdirs || listing.file !== undefined || attempt.tally.count > 0) return;
        // What the filter has left is no error.
        await deleteEmptyTree(attempt, listing, { leaveRoot: true, mustBeEmpty: false });
      });
    });
  } finally {
    await release();
  }
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

export async function deletefileCommand(invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  const [spec = ''] = args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) {
    const text = `${spec} is a directory or doesn't exist`;
    throw new SyncerError('file-not-found', text, { path: spec });
  }
  const rules = { budget: deleteBudget(...deleteLimits(flags)), width: 1 };
  await runAttempts(invocation, (attempt) => deleteFiles(attempt, remote, [[file]], rules));
}

export async function cleanupCommand(invocation: Invocation<typeof DELETE_FLAGS>): Promise<void> {
  const { args, flags } = invocation;
  const opened = await openListing(invocation, args[0], { filtersFile: false, showsOwn: true });
  if (opened.file !== undefined) throw fileForDirectory(args[0] ?? '');
  const { remote } = opened;
  const { can, title } = remote;
  const { cleanUp } = can;
  if (cleanUp === undefined) {
    throw new SyncerError('unsupported', `${title} has nothing to clean up`);
  }
  const limits = deleteLimits(flags);
  if (remote.traits.carries !== undefined && limits.some((most) => most >= 0)) {
    const why = 'rclone deletes old versions without counting them';
    throw cannotUse('--max-delete or --max-delete-size', `cleanup of ${title}`, why);
  }
  const budget = deleteBudget(...limits);
  const onDeletingVersion = (size: number) => {
    if (budget.take(1, [size]) === 0) throw budget.error();
  };
  await runAttempts(invocation, async (run) => {
    if (!(await run.mayChange({ do: 'other', words: 'clean up old files', about: title }))) return;
    const onNotDeleted = (path: string, error: Error) => run.fail(error, path, 'delete');
    await cleanUp(flags['older-than'], { ...run.op, change: { onNotDeleted, onDeletingVersion } });
    if (can.place?.kind === 'disk') return;
    const left: FileEntry[] = [];
    for await (const page of opened.within(run).files())
      for (const file of page) if (isLeftTrial(file)) left.push(file);
    await deleteLeftTrials(run, remote, left);
  });
}

export const purgeCommand: Command = (invocation) =>
  reviewed(invocation, { title: 'purge', show: openReviewScreen, deletesOnly: 'all goes' }, run);

async function run(invocation: Invocation): Promise<void> {
  const { flags, args } = invocation;
  const { hasRules, maxDepth } = await invocation.filter();
  if (hasRules) {
    // They would not protect anything: refused, in rclone's words.
    const why = 'purge will delete everything unconditionally';
    throw new SyncerError('usage', `filters are not supported with purge (${why})`);
  }
  const remote = showOwnNames(await openDirectory(invocation));
  await refuseInside(invocation, '--trash-dir', flags['trash-dir'], [remote]);
  const keepsTrash = flags.trash && !flags['trash-dir'];
  const [spec = ''] = args;
  const limits = deleteLimits(flags);
  const budget = deleteBudget(...limits);
  // Links are deleted too, and counted.
  const fixed = remote.traits.onDisk ? LIST_LINKS : {};
  const isLimited = limits.some((most) => most >= 0) || maxDepth >= 0;
  const listing = isLimited ? await openListing(invocation, spec, { fixed }) : undefined;
  const all = () => listing ?? openListing(invocation, spec, { fixed });
  await takePlaces(invocation, { remotes: [remote], isFile: false });
  await guardCount(invocation, all);
  await runAttempts(invocation, async (attempt) => {
    if (listing !== undefined) {
      const counted = listing.within(attempt);
      const counter = deleteBudget(...limits);
      for await (const entries of counted.entries('all', { maxDepth: -1, anyOrder: true })) {
        for (const { kind, path, size = -1 } of entries) {
          if (maxDepth >= 0 && path.split('/').length > maxDepth) {
            const text = `purge deletes everything, but "${path}" is deeper than --max-depth ${maxDepth}`;
            throw new SyncerError('usage', text, { path });
          }
          if (kind === 'file' && counter.take(1, [size]) < 1) throw counter.error();
        }
      }
      // Unreadable directories were not counted.
      counted.finish();
    }
    const change = { do: 'other', words: 'purge directory', about: remote.title } as const;
    const { approval } = attempt;
    const isShown = approval !== undefined && showsPurge(approval);
    if (!isShown && !(await attempt.mayChange(change))) return;
    const { op } = attempt;
    // It goes with the rest, which is not listed file by file.
    if (remote.can.purge !== undefined && (await remote.stat(OWN_NAMES.guard, op)) !== undefined) {
      const text = `Deleting its marker ${OWN_NAMES.guard}, too`;
      attempt.log('notice', remote.title, 'message', { text });
    }
    try {
      const width = requestsAtOnce(flags, remote);
      await purgeRoot(attempt, remote, { width, budget, keepsTrash });
    } catch (thrown) {
      // On a backend without real directories an empty one is not missing, if its bucket exists.
      if (remote.traits.emptyDirs || !hasCode(thrown, 'directory-not-found')) throw thrown;
      const { entries } = await remote.listPage('', undefined, op);
      if (entries.length > 0) throw thrown;
    }
  });
}
