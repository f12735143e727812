import type { TestResult } from '../../../src/config/dialogue/work.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../src/core/errors.ts';
import type { Op, Remote } from '../../../src/core/remote.ts';

/** Lists the root of a remote, and its first bucket: the list of buckets does not show how they are reached. */
export async function listRoot(remote: Remote, op: Op): Promise<TestResult> {
  const page = await remote.listPage('', undefined, op);
  const [bucket] = remote.traits.bucketBased ? page.entries : [];
  if (bucket?.kind === 'dir') {
    await remote.listPage(bucket.path, undefined, op).catch((thrown) => {
      op.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      const isOfHost = hasCode(error, 'network', 'bad-answer', 'timed-out');
      const advice = isOfHost
        ? 'Set force_path_style = true (advanced): the server has no host names for buckets.'
        : `Another bucket may work: save, then try "syncer lsd".`;
      const text = `the buckets can be listed, but not the contents of "${bucket.path}": ${error.message}`;
      throw new SyncerError(error.code, text, { advice, cause: thrown });
    });
  }
  const names = page.entries.slice(0, 5).map(({ path }) => path);
  return { entries: page.entries.length, hasMore: page.cursor !== undefined, names };
}
