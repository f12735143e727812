import { bodyChunks, collectBody } from '../../core/body.ts';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import type { FileEntry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { hexToBase64 } from '../../listing/hash-line.ts';
import { orderedBatches } from '../../listing/ordered-batches.ts';
import { parseSumFile, type SumFile } from '../../listing/sum-file.ts';
import type { Invocation } from '../command.ts';
import type { HashReader } from './hash-reader.ts';
import type { Listing } from './open-listing.ts';

/** What the files are checked against. */
export interface SumCheck {
  readonly name: HashName;
  readonly read: HashReader;
  /** Path of the file of sums; `-` for standard input. */
  readonly sumFile: string;
}

/** How one file came out. */
type Outcome = 'match' | 'differ' | 'no-sum' | 'no-hash' | 'failed';

/**
 * Checks files against the sums in a file (`--checkfile`). Standard output gets a line a file as in
 * `check --combined`; what differs is an error, counts follow in the log. Rejects with `differences` where any
 * was found.
 */
export async function checkSums(
  invocation: Invocation,
  listing: Listing,
  check: SumCheck,
): Promise<void> {
  const { remote, run, atOnce } = listing;
  const { out, flags } = invocation;
  const { sums, faults } = await readSums(invocation, check.sumFile);
  for (const fault of faults) run.log('notice', leafName(check.sumFile), fault);
  const unseen = new Set([...sums.keys()].filter((path) => isListed(listing, path)));
  const counts = { match: 0, differ: 0, 'no-sum': 0, 'no-hash': 0, failed: 0, missing: 0 };

  const fail = (path: string, message: string) =>
    run.tally.add(new SyncerError('differences', message, { path }), path);
  const compare = async (file: FileEntry): Promise<[FileEntry, Outcome]> => {
    const expected = sums.get(file.path);
    if (expected === undefined) return [file, 'no-sum'];
    try {
      const hash = await check.read(file);
      if (hash === undefined) return [file, 'no-hash'];
      const shown = flags.base64 ? hexToBase64(hash).toLowerCase() : hash;
      return [file, shown === expected ? 'match' : 'differ'];
    } catch (thrown) {
      run.op.signal.throwIfAborted();
      run.fail(thrown, file.path);
      return [file, 'failed'];
    }
  };

  for await (const files of listing.files()) {
    for await (const batch of orderedBatches(files, atOnce, compare)) {
      let text = '';
      for (const [{ path }, outcome] of batch) {
        unseen.delete(path);
        counts[outcome]++;
        text += `${SIGNS[outcome]} ${path}\n`;
        if (outcome === 'no-sum') fail(path, 'sum not found');
        if (outcome === 'differ') fail(path, 'files differ');
      }
      await out.write(text);
    }
  }
  for (const path of unseen) {
    counts.missing++;
    fail(path, `file not in ${remote.title}`);
    await out.write(`+ ${path}\n`);
  }
  tell(listing, counts);
  const { differ, missing, failed } = counts;
  const differences = differ + missing + counts['no-sum'];
  if (differences + failed === 0) return listing.finish();
  throw new SyncerError('differences', `${differences} differences found`);
}

const SIGNS: Readonly<Record<Outcome, string>> = {
  match: '=',
  'no-hash': '=',
  differ: '*',
  'no-sum': '-',
  failed: '!',
};

/** Whether the run's filter lets a file of this name be listed. */
function isListed({ run, file }: Listing, path: string): boolean {
  if (file !== undefined) return path === file.path;
  return run.filter.keepFile({ path, size: -1 });
}

function tell({ run, remote }: Listing, counts: Readonly<Record<Outcome | 'missing', number>>) {
  const differences = counts.differ + counts.missing + counts['no-sum'];
  const lines: [count: number, text: string][] = [
    [counts.missing, 'files missing'],
    [counts['no-sum'], 'hashes missing'],
    [differences, 'differences found'],
    [differences + counts.failed, 'errors while checking'],
    [counts['no-hash'], 'hashes could not be checked'],
    [counts.match + counts['no-hash'], 'matching files'],
  ];
  for (const [count, text] of lines) {
    if (count === 0 && text !== 'differences found') continue;
    // The sums that are missing belong to the file of sums, not to the remote.
    const path = text === 'hashes missing' ? {} : { path: remote.title };
    run.context.emit({ type: 'log', level: 'notice', ...path, message: `${count} ${text}` });
  }
}

async function readSums(invocation: Invocation, path: string): Promise<SumFile> {
  const { signal } = invocation.context;
  if (path === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of bodyChunks(invocation.stdin, signal)) chunks.push(chunk);
    return parseSumFile(nameFromBytes(Buffer.concat(chunks)));
  }
  const { remote, file } = await invocation.openPath(path);
  if (file === undefined) {
    throw new SyncerError('not-a-file', `the file of sums ${path} does not exist`, { path });
  }
  const content = await collectBody(await remote.read(file, undefined, { signal }), signal);
  return parseSumFile(nameFromBytes(content));
}
