import { openReviewScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { listDir } from '../../src/core/list-dir.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { inReview } from '../../src/engine/approval.ts';
import { deleteFiles } from '../../src/engine/delete-files.ts';
import { deleteLeftTrials, isLeftTrial } from '../../src/engine/place/trial-file.ts';
import type { Run } from '../../src/engine/run.ts';
import { deleteBudget } from '../../src/engine/run-limits.ts';
import { hasBuckets } from '../../src/engine/without-bucket.ts';
import { guardCount } from '../../src/run/guards/count-guard.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { takePlaces } from '../../src/run/presence/take-places.ts';
import { fileForDirectory } from '../../src/run/remotes/file-or-directory.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { refuseInside } from '../../src/run/transfer/refuse-inside.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { deleteLimits } from '../../src/shell/flags/delete-limits.ts';
import type { DELETE_FLAGS } from './command.ts';
import { deleteEmptyTree } from './delete-empty-tree.ts';

/** `syncer delete remote:path` */
export const deleteCommand: Command<typeof DELETE_FLAGS> = async (invocation) => {
  const { passesAll } = await invocation.filter();
  const deletesOnly = passesAll ? 'all goes' : 'chosen by the filter';
  await reviewed(invocation, { title: 'delete', show: openReviewScreen, deletesOnly }, runDelete);
};

async function runDelete(invocation: Invocation<typeof DELETE_FLAGS>): Promise<void> {
  const { flags } = invocation;
  const opened = await openListing(invocation);
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
    buckets.push(...page.map(({ path }) => path));
  return buckets.length === 0 ? undefined : run.checkBuckets?.(buckets, false);
}

/** `syncer deletefile remote:path` */
export async function deletefileCommand(
  invocation: Invocation<typeof DELETE_FLAGS>,
): Promise<void> {
  const { args, flags } = invocation;
  const [spec = ''] = args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) {
    throw new SyncerError('file-not-found', `${spec} is a directory or doesn't exist`, {
      path: spec,
    });
  }
  const rules = {
    budget: deleteBudget(...deleteLimits(flags)),
    width: 1,
  };
  await runAttempts(invocation, (attempt) => deleteFiles(attempt, remote, [[file]], rules));
}

/** `syncer cleanup remote:path` */
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
  await runAttempts(invocation, async (run) => {
    if (!(await run.mayChange({ do: 'other', words: 'clean up old files', about: title }))) return;
    const onNotDeleted = (path: string, error: Error) => run.fail(error, path, 'delete');
    await cleanUp(flags['older-than'], { ...run.op, change: { onNotDeleted } });
    if (can.place?.kind === 'disk') return;
    const left: FileEntry[] = [];
    for await (const page of opened.within(run).files()) left.push(...page.filter(isLeftTrial));
    await deleteLeftTrials(run, remote, left);
  });
}
