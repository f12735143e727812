import type { Invocation } from '../command.ts';
import { openReports } from '../output/open-reports.ts';
import { fileForDirectory } from '../remotes/open-directory.ts';
import { checkSums } from './check-sums.ts';
import { hashNamed } from './hash-named.ts';
import { openListing } from './open-listing.ts';

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
      sumFile,
      reports: reports.writers,
      oneWay: flags['one-way'],
    });
  } finally {
    await reports.close();
  }
}
