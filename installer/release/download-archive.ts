import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { bodyAsStream } from '../../src/http/body-as-stream.ts';
import type { ReleaseClient } from './release-client.ts';

/** No release is larger than this, in bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Told while bytes arrive; the total is absent where the server does not say it. */
export type OnProgress = (done: number, total: number | undefined) => void;

/** Fetches the archive into memory. Rejects with what went wrong, the address in front. */
export async function downloadArchive(
  client: ReleaseClient,
  url: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const answer = await client.ask('GET', url, signal);
    if (answer.status !== 200) {
      answer.discard();
      throw new SyncerError('bad-answer', `the server returned status ${answer.status}`);
    }
    const total = answer.announcedLength;
    const chunks: Buffer[] = [];
    let done = 0;
    onProgress(done, total);
    for await (const chunk of bodyAsStream(answer, total) as AsyncIterable<Buffer>) {
      done += chunk.length;
      if (done > LARGEST) throw new SyncerError('too-large', `it is larger than ${LARGEST} bytes`);
      chunks.push(chunk);
      onProgress(done, total);
    }
    return Buffer.concat(chunks);
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, cause } = toSyncerError(thrown);
    throw new SyncerError(code, `download of ${url} failed: ${message}`, { cause });
  }
}
