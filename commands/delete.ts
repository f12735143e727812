import { openReviewScreen } from '../components/open.ts';
import type { Command, Invocation } from '../src/app/command.ts';
import { deleteEmptyTree } from '../src/app/listing/delete-empty-tree.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { reviewed } from '../src/app/review/reviewed.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { SyncerError } from '../src/core/errors.ts';
import { deleteBudget } from '../src/sync/delete-budget.ts';
import { deleteFiles } from '../src/sync/delete-files.ts';

/** `syncer delete remote:path` */
export const deleteCommand: Command = (invocation) =>
  reviewed(
    invocation,
    { title: 'delete', show: openReviewScreen, deletesOnly: 'chosen by the filter' },
    runDelete,
  );

async function runDelete(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const opened = await openListing(invocation);
  const budget = deleteBudget(flags['max-delete'] ?? -1);
  await runAttempts(invocation, async (attempt) => {
    const listing = opened.within(attempt);
    await deleteFiles(attempt, listing.remote, listing.files({ anyOrder: true }), {
      budget,
      width: listing.atOnce,
    });
    if (!flags.rmdirs || listing.file !== undefined || attempt.tally.count > 0) return;
    await deleteEmptyTree(attempt, listing, { leaveRoot: true });
  });
}

/** `syncer deletefile remote:path` */
export async function deletefileCommand(invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  const [spec = ''] = args;
  const { remote, file } = await invocation.remotes.openPath(spec);
  if (file === undefined) {
    throw new SyncerError('file-not-found', `${spec} is a directory or doesn't exist`, {
      path: spec,
    });
  }
  const rules = { budget: deleteBudget(flags['max-delete'] ?? -1), width: 1 };
  await runAttempts(invocation, (attempt) => deleteFiles(attempt, remote, [[file]], rules));
}
