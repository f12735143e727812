import { openReviewScreen } from '../../components/open.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { Op, Remote } from '../../src/core/remote.ts';
import { purgeRoot, showsPurge } from '../../src/engine/purge-root.ts';
import type { Run } from '../../src/engine/run.ts';
import { deleteBudget } from '../../src/engine/run-limits.ts';
import { showOwnNames } from '../../src/names/hide-own-names.ts';
import { guardCount } from '../../src/run/guards/count-guard.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { takePlaces } from '../../src/run/presence/take-places.ts';
import { openDirectory } from '../../src/run/remotes/file-or-directory.ts';
import { LIST_LINKS, requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { reviewed } from '../../src/run/review/reviewed.ts';
import { refuseInside } from '../../src/run/transfer/refuse-inside.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { deleteLimits } from '../../src/shell/flags/delete-limits.ts';
import { refusePurge } from './delete-empty-tree.ts';

/** `syncer purge remote:path` */
export const purgeCommand: Command = (invocation) =>
  reviewed(invocation, { title: 'purge', show: openReviewScreen, deletesOnly: 'all goes' }, run);

async function run(invocation: Invocation): Promise<void> {
  const { flags, args } = invocation;
  const { hasRules, maxDepth } = await invocation.filter();
  if (hasRules) throw filtersGiven();
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
    if (listing !== undefined) await refusePurge(listing.within(attempt), deleteBudget(...limits));
    const change = { do: 'other', words: 'purge directory', about: remote.title } as const;
    const { approval } = attempt;
    const isShown = approval !== undefined && showsPurge(approval);
    if (!isShown && !(await attempt.mayChange(change))) return;
    await tellMarker(attempt, remote);
    try {
      const width = requestsAtOnce(flags, remote);
      await purgeRoot(attempt, remote, { width, budget, keepsTrash });
    } catch (thrown) {
      if (!(await isEmptyPrefix(thrown, remote, attempt.op))) throw thrown;
    }
  });
}

/** Says that a marker goes with the rest, if that is not listed file by file. */
async function tellMarker({ op, log }: Run, { can, stat, title }: Remote): Promise<void> {
  if (can.purge === undefined || (await stat(OWN_NAMES.guard, op)) === undefined) return;
  log('notice', title, 'message', { text: `Deleting its marker ${OWN_NAMES.guard}, too` });
}

/** Filters would not protect anything from purge: refused, in rclone's words. */
function filtersGiven(): SyncerError {
  const why = 'purge will delete everything unconditionally';
  return new SyncerError('usage', `filters are not supported with purge (${why})`);
}

/**
 * Whether a missing path is a directory on a backend without real directories: an empty one is not missing. Rejects if
 * the bucket does not exist.
 */
async function isEmptyPrefix(thrown: unknown, remote: Remote, op: Op): Promise<boolean> {
  if (remote.traits.emptyDirs || !hasCode(thrown, 'directory-not-found')) return false;
  const { entries } = await remote.listPage('', undefined, op);
  return entries.length === 0;
}
