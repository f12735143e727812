import { createHash } from 'node:crypto';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { readWhole } from '../../src/http/answer.ts';
import type { ReleaseClient } from './release-client.ts';

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
