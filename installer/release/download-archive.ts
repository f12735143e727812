import { type HttpAnswer, readWhole } from '../../src/backends/http/answer.ts';
import { bodyAsStream } from '../../src/backends/http/body-as-stream.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { ReleaseClient } from './release-client.ts';

/** Where an archive comes from. */
export interface ArchiveSource {
  readonly url: string;
  /** The address of the checksums beside it. */
  readonly sumsUrl: string;
  readonly name: string;
  /** Put before addresses where the host itself does not answer with 200. */
  readonly mirrorUrl: string | undefined;
}

/** No release is larger than this, in bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Throws `bad-answer` for an answer without the file. */
function mustBeThere(answer: HttpAnswer): void {
  if (answer.status === 200) return;
  answer.discard();
  throw new SyncerError('bad-answer', `the server returned status ${answer.status}`);
}

/**
 * Fetches the archive into memory. Rejects with what went wrong, the address in front.
 *
 * @param onProgress called while bytes arrive; the total is absent where the server does not say it
 */
export async function downloadArchive(
  client: ReleaseClient,
  url: string,
  onProgress: (done: number, total: number | undefined) => void,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const answer = await client.ask('GET', url, signal);
    mustBeThere(answer);
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
    throw failed(`download of ${url} failed`, thrown, signal);
  }
}

/**
 * The connectivity test: a HEAD request for the archive itself, redirects included, within `testMs` milliseconds. 200
 * means the direct way; anything else means the mirror. Resolves to what stands before every address, and, for people,
 * to what the test showed. Rejects with `unreachable` where there is no mirror.
 */
export async function testConnection(
  client: ReleaseClient,
  { url, mirrorUrl }: ArchiveSource,
  testMs: number,
  signal: AbortSignal,
): Promise<{ readonly prefix: string; readonly why: string }> {
  const late = AbortSignal.timeout(testMs);
  let why: string;
  try {
    const answer = await client.ask('HEAD', url, AbortSignal.any([signal, late]));
    answer.discard();
    if (answer.status === 200) return { prefix: '', why: 'reachable: direct download' };
    why = `it returned status ${answer.status}`;
  } catch (thrown) {
    signal.throwIfAborted();
    why = late.aborted ? `no response within ${testMs / 1000} s` : toSyncerError(thrown).message;
  }
  if (mirrorUrl !== undefined)
    return { prefix: mirrorUrl, why: `${why}: download through the mirror` };
  throw new SyncerError(
    'unreachable',
    `cannot download ${url}: ${why}; use a mirror with --mirror-url, or a downloaded file with --archive`,
  );
}

/** No list of checksums is longer than this, in bytes. */
const LONGEST_LIST = 1024 * 1024;

/**
 * What the release host says the archive's SHA-256 is: the line of its name in `SHA256SUMS`. `undefined` where the
 * host has no such file. Rejects where the file is there and does not name the archive, or cannot be read.
 */
export async function publishedChecksum(
  client: ReleaseClient,
  url: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await client.ask('GET', url, signal);
    if ([403, 404, 410].includes(answer.status)) {
      answer.discard();
      return undefined;
    }
    mustBeThere(answer);
    return checksumOf((await readWhole(answer, LONGEST_LIST)).toString('utf8'), name);
  } catch (thrown) {
    throw failed(`cannot download the checksums ${url}`, thrown, signal);
  }
}

/** What went wrong with a request, after what was tried; throws the reason of an abort. */
function failed(what: string, thrown: unknown, signal: AbortSignal): SyncerError {
  signal.throwIfAborted();
  const { code, message, cause } = toSyncerError(thrown);
  return new SyncerError(code, `${what}: ${message}`, { cause });
}

/** The checksum of `name` in a list as `sha256sum` writes it. Throws `bad-answer` where it is not there. Pure. */
export function checksumOf(list: string, name: string): string {
  for (const line of list.split(/\r?\n/)) {
    const [, sum, of] = /^([\da-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (of?.replace(/^\.\//, '') === name && sum !== undefined) return sum.toLowerCase();
  }
  throw new SyncerError('bad-answer', `the list does not contain ${name}`);
}
