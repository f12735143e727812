import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { ArchiveSource } from '../plan/step.ts';
import type { ReleaseClient } from './release-client.ts';

/** Which way the archive is fetched, and why. */
interface ConnectionRoute {
  /** Put before every address; empty for the direct way. */
  readonly prefix: string;
  /** What the test showed, for people. */
  readonly why: string;
}

/**
 * The connectivity test: a HEAD request for the archive itself, redirects included, within `testMs` milliseconds. 200
 * means the direct way; anything else means the mirror. Rejects with `unreachable` where there is no mirror.
 */
export async function testConnection(
  client: ReleaseClient,
  { url, mirrorUrl }: ArchiveSource,
  testMs: number,
  signal: AbortSignal,
): Promise<ConnectionRoute> {
  const why = await directAnswer(client, url, testMs, signal);
  if (why === undefined) return { prefix: '', why: 'reachable: direct download' };
  if (mirrorUrl !== undefined)
    return { prefix: mirrorUrl, why: `${why}: download through the mirror` };
  throw new SyncerError(
    'unreachable',
    `cannot download ${url}: ${why}; use a mirror with --mirror-url, or a downloaded file with --archive`,
  );
}

/** What is wrong with the direct way; nothing where it is open. */
async function directAnswer(
  client: ReleaseClient,
  url: string,
  testMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(testMs);
  try {
    const answer = await client.ask('HEAD', url, AbortSignal.any([signal, late]));
    answer.discard();
    return answer.status === 200 ? undefined : `it returned status ${answer.status}`;
  } catch (thrown) {
    signal.throwIfAborted();
    if (late.aborted) return `no response within ${testMs / 1000} s`;
    return toSyncerError(thrown).message;
  }
}
