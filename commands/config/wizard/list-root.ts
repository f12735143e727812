import type { TestResult } from '../../../src/config/dialogue/work.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../src/core/errors.ts';
import type { Op, Remote } from '../../../src/core/remote.ts';

/** How many names of a test are shown. */
const SHOWN = 5;

/** Lists the root of a remote, and its first bucket: the list of buckets does not show how they are reached. */
export async function listRoot(remote: Remote, op: Op): Promise<TestResult> {
  const page = await remote.listPage('', undefined, op);
  const [bucket] = remote.traits.bucketBased ? page.entries : [];
  if (bucket?.kind === 'dir') {
    await remote.listPage(bucket.path, undefined, op).catch((thrown) => {
      op.signal.throwIfAborted();
      throw bucketFailure(bucket.path, thrown);
    });
  }
  const names = page.entries.slice(0, SHOWN).map(({ path }) => path);
  return { entries: page.entries.length, hasMore: page.cursor !== undefined, names };
}

function bucketFailure(bucket: string, thrown: unknown): SyncerError {
  const error = toSyncerError(thrown);
  const isOfHost = hasCode(error, 'network', 'bad-answer', 'timed-out');
  const advice = isOfHost
    ? 'Set force_path_style = true (advanced): the server has no host names for buckets.'
    : `Another bucket may work: save, then try "syncer lsd".`;
  const message = `the buckets can be listed, but not the contents of "${bucket}": ${error.message}`;
  return new SyncerError(error.code, message, { advice, cause: thrown });
}
