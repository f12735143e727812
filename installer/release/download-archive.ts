import { createHash } from 'node:crypto';
import { readWhole } from '../../src/backends/http/answer.ts';
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

/** No list of checksums is longer than this, in bytes. */
const LONGEST_LIST = 1024 * 1024;

/** Answers that mean: there is no such file. */
const ABSENT: ReadonlySet<number> = new Set([403, 404, 410]);

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
    if (ABSENT.has(answer.status)) {
      answer.discard();
      return undefined;
    }
    if (answer.status !== 200) {
      answer.discard();
      throw new SyncerError('bad-answer', `the server returned status ${answer.status}`);
    }
    return checksumOf((await readWhole(answer, LONGEST_LIST)).toString('utf8'), name);
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, cause } = toSyncerError(thrown);
    throw new SyncerError(code, `cannot download the checksums ${url}: ${message}`, { cause });
  }
}

/** The checksum of `name` in a list as `sha256sum` writes it. Throws `bad-answer` where it is not there. Pure. */
export function checksumOf(list: string, name: string): string {
  for (const line of list.split(/\r?\n/)) {
    const [, sum, of] = /^([\da-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (of?.replace(/^\.\//, '') === name && sum !== undefined) return sum.toLowerCase();
  }
  throw new SyncerError('bad-answer', `the list does not contain ${name}`);
}

/** Throws `corrupted` where the bytes have another SHA-256. */
export function verifyChecksum(archive: Uint8Array, expected: string): void {
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual === expected) return;
  throw new SyncerError(
    'corrupted',
    `the archive does not match its checksum: its SHA-256 is ${actual}, expected ${expected}`,
  );
}
