import { openReviewScreen } from '../components/open.ts';
import type { Command, Invocation } from '../src/app/command.ts';
import { openDirectory } from '../src/app/remotes/open-directory.ts';
import { requestsAtOnce } from '../src/app/remotes/requests-at-once.ts';
import { reviewed } from '../src/app/review/reviewed.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { hasCode } from '../src/core/errors.ts';
import type { Op, Remote } from '../src/core/remote.ts';
import { purgeRoot } from '../src/sync/purge-dir.ts';

/** `syncer purge remote:path` */
export const purgeCommand: Command = {
  run: (invocation) =>
    reviewed(invocation, { title: 'purge', show: openReviewScreen, deletesOnly: 'all goes' }, run),
};

async function run(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const remote = await openDirectory(invocation);
  await runAttempts(invocation, async (attempt) => {
    const change = { action: 'purge directory', about: remote.title };
    const isShown = attempt.guard?.flag === '--review';
    if (!isShown && !(await attempt.mayChange(change))) return;
    try {
      await purgeRoot(attempt, remote, requestsAtOnce(flags, remote));
    } catch (thrown) {
      if (!(await isEmptyPrefix(thrown, remote, attempt.op))) throw thrown;
    }
  });
}

/**
 * Whether what was not found is a directory of a store that makes directories of the names of files: one
 * without files is none to be missed. Rejects where not even the bucket is there.
 */
async function isEmptyPrefix(thrown: unknown, remote: Remote, op: Op): Promise<boolean> {
  if (remote.traits.emptyDirs || !hasCode(thrown, 'directory-not-found')) return false;
  const { entries } = await remote.listPage('', undefined, op);
  return entries.length === 0;
}
