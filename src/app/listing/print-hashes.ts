import { basename } from 'node:path';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { cachePath } from '../../hash-cache/hash-observer.ts';
import { realPath } from '../../kit/real-path.ts';
import { orderedBatches } from '../../listing/ordered-batches.ts';
import { hashLine } from '../../listing/sum-file.ts';
import type { Invocation } from '../command.ts';
import type { Output } from '../output/output.ts';
import { withOutput } from '../output/output-file.ts';
import { delayTurboFan } from '../process/delay-turbofan.ts';
import { checkSums } from './check-sums.ts';
import { type HashReader, hashOfInput, pageHashReader } from './hash-reader.ts';
import { type Listing, openListing } from './open-listing.ts';

/**
 * `md5sum`, `sha1sum` and `hashsum`: prints a line with the hash of each file, or of standard input if there is no
 * path; with `--checkfile`, compares the files with a SUM file.
 */
export async function printHashes(
  invocation: Invocation,
  name: HashName,
  spec: string | undefined,
): Promise<void> {
  const { flags, out } = invocation;
  if (spec === undefined || spec === '-') {
    const line = hashLine(await hashOfInput(invocation.input(), name), name, '-', flags.base64);
    return withOutput(out, '--output-file', flags['output-file'], (target) => target.write(line));
  }
  const listing = await openListing(invocation, spec);
  // To hash many files is no single loop, as other listings are.
  if (listing.remote.traits.slowHash) delayTurboFan();
  if (flags.checkfile) {
    const reports = { combined: (line: string) => out.write(line) };
    const download = flags['hash-download'];
    const check = { name, download, sumFile: flags.checkfile, reports, oneWay: false };
    return checkSums(invocation, listing, check);
  }
  const readerFor = (files: readonly FileEntry[]) => readerOf(invocation, listing, name, files);
  const isOwn = ownOutput(listing.remote, flags['output-file'] || '/proc/self/fd/1');
  await withOutput(out, '--output-file', flags['output-file'], (target) =>
    printAll(target, listing, isOwn, readerFor, (file, hash) =>
      hashLine(hash, name, file.path, flags.base64),
    ),
  );
  listing.finish();
}

/** The reader for files of a page; it fails for each file if the remote lacks the hash. */
function readerOf(
  { flags }: Invocation,
  { run, remote }: Listing,
  name: HashName,
  files: readonly FileEntry[],
): HashReader {
  const how = { download: flags['hash-download'], tries: flags['low-level-retries'] };
  try {
    return pageHashReader(run, remote, name, how, files);
  } catch (thrown) {
    return () => Promise.reject(thrown);
  }
}

/** Recognizes the file that the lines are written to, which changes with each of them. */
function ownOutput(remote: Remote, written: string): (file: FileEntry) => boolean {
  if (!remote.traits.onDisk) return () => false;
  const own = realPath(written);
  const name = basename(own);
  return ({ path }) => leafName(path) === name && cachePath(remote, path) === own;
}

async function printAll(
  out: Output,
  listing: Listing,
  isOwn: (file: FileEntry) => boolean,
  readerFor: (files: readonly FileEntry[]) => HashReader,
  line: (file: FileEntry, hash: string | undefined) => string,
): Promise<void> {
  for await (const page of listing.files()) {
    const files = page.some(isOwn) ? page.filter((file) => !isOwn(file)) : page;
    const read = readerFor(files);
    const lines = orderedBatches(files, listing.hashesAtOnce, (file) => {
      const hash = read(file);
      if (!(hash instanceof Promise)) return line(file, hash);
      return hash.then(
        (value) => line(file, value),
        (thrown) => {
          listing.run.op.signal.throwIfAborted();
          listing.run.fail(thrown, file.path);
          return '';
        },
      );
    });
    for await (const batch of lines) await out.write(batch.join(''));
  }
}
