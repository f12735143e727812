import type { HashName } from '../../src/core/hash-names.ts';
import { HASH_NAMES, parseHashName } from '../../src/listing/hash-name.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { openReports } from '../../src/run/listing/open-reports.ts';
import { fileForDirectory } from '../../src/run/remotes/file-or-directory.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { Output } from '../../src/shell/output/output.ts';
import { checkSums } from './print-hashes.ts';

/** The supported hashes, as `hashsum` without arguments prints them. */
export function supportedHashes(): string {
  return `Supported hashes are:\n${HASH_NAMES.map((name) => `- ${name}\n`).join('')}`;
}

/** The hash of this name. For an unknown one, prints the supported hashes, as in rclone, and rejects with `usage`. */
export async function hashNamed(text: string, out: Output): Promise<HashName> {
  try {
    return parseHashName(text);
  } catch (thrown) {
    await out.write(`${supportedHashes()}\n`);
    throw thrown;
  }
}

/**
 * `checksum` and `check --checkfile`: compares the files of the directory `spec` with the sums in `sumFile`. Rejects
 * with `usage` for an unknown hash, `not-a-directory` if `spec` is a file, and `differences`.
 */
export async function compareWithSums(
  invocation: Invocation,
  hash: string,
  sumFile: string,
  spec: string,
): Promise<void> {
  const { flags } = invocation;
  const name = await hashNamed(hash, invocation.out);
  const listing = await openListing(invocation, spec);
  if (listing.file !== undefined) throw fileForDirectory(spec);
  const reports = await openReports(invocation);
  try {
    await checkSums(invocation, listing, {
      name,
      download: flags.download,
      base64: false,
      sumFile,
      reports: reports.writers,
      oneWay: flags['one-way'],
    });
  } finally {
    await reports.close();
  }
}
