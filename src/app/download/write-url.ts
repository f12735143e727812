import { bodyChunks } from '../../core/body.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Invocation } from '../command.ts';
import { runAttempts } from '../transfer/run-attempts.ts';
import { openUrl, type UrlReader } from './open-url.ts';

/** Writes a URL to standard output. Does not retry after the first byte was written. */
export async function writeUrl(invocation: Invocation, reader: UrlReader, url: URL): Promise<void> {
  const { bandwidth, out } = invocation;
  await runAttempts(invocation, async ({ op }) => {
    const { signal } = op;
    const { body } = await openUrl(reader, url, signal);
    let hasBegun = false;
    try {
      for await (const chunk of bodyChunks(body, signal)) {
        await bandwidth?.take(chunk.length, { up: false, down: true }, signal);
        hasBegun = true;
        await out.write(chunk);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (!hasBegun) throw thrown;
      throw new SyncerError('other', toSyncerError(thrown).message, { cause: thrown });
    }
  });
}
