import { basename } from 'node:path';
import { cachePath } from '../../src/caches/hashes/hash-cache.ts';
import { bodyChunks, collectBody } from '../../src/core/body.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { HASH_NAMES, type HashName } from '../../src/core/hash-names.ts';
import { userText } from '../../src/core/name-bytes.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { type CheckOutcome, type CheckReports, reportOutcome } from '../../src/engine/outcomes.ts';
import { orderedBatches } from '../../src/listing/ordered-batches.ts';
import {
  hashLine,
  hexToBase64,
  parseHashName,
  parseSumFile,
  type SumFile,
} from '../../src/listing/sum-file.ts';
import { type HashReader, hashOfInput, pageHashReader } from '../../src/run/listing/hash-reader.ts';
import { type Listing, openListing } from '../../src/run/listing/open-listing.ts';
import { openReports } from '../../src/run/listing/open-reports.ts';
import { fileForDirectory } from '../../src/run/remotes/file-or-directory.ts';
import type {
  CommandCall,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import type { Output } from '../../src/shell/output/output.ts';
import { withOutput } from '../../src/shell/output/output-file.ts';
import { delayTurboFan } from '../../src/shell/process/delay-turbofan.ts';
import { realPath } from '../../src/system/fs-path.ts';
import type { HASHSUM_FLAGS } from './command.ts';

type SumNeeds = CommandCall<typeof HASHSUM_FLAGS> & Remotes & StandardOutput & StandardInput;

export const md5sumCommand = (invocation: SumNeeds) =>
  printHashes(invocation, 'md5', invocation.args[0]);

export const sha1sumCommand = (invocation: SumNeeds) =>
  printHashes(invocation, 'sha1', invocation.args[0]);

export async function hashsumCommand(invocation: SumNeeds): Promise<void> {
  const { args, out } = invocation;
  const [name, spec] = args;
  if (name === undefined) return out.write(supportedHashes());
  return printHashes(invocation, await hashNamed(name, out), spec);
}

export function checksumCommand(
  invocation: CommandCall & Remotes & StandardOutput & StandardInput,
): Promise<void> {
  const [hash = '', sumFile = '', path = ''] = invocation.args;
  return compareWithSums(invocation, hash, sumFile, path);
}

function supportedHashes(): string {
  return `Supported hashes are:\n${HASH_NAMES.map((name) => `- ${name}\n`).join('')}`;
}

/** The hash of this name. For an unknown one, prints the supported hashes, as in rclone, and rejects with `usage`. */
async function hashNamed(text: string, out: Output): Promise<HashName> {
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
  invocation: CommandCall & Remotes & StandardOutput & StandardInput,
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
    const { download, 'one-way': oneWay } = flags;
    const check = { name, sumFile, reports: reports.writers, download, 'one-way': oneWay };
    await checkSums(invocation, listing, check);
  } finally {
    await reports.close();
  }
}

/**
 * `md5sum`, `sha1sum` and `hashsum`: prints a line with the hash of each file, or of standard input if there is no
 * path; with `--checkfile`, compares the files with a SUM file.
 */
async function printHashes(
  invocation: SumNeeds,
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
    const { checkfile: sumFile, 'hash-download': download, base64 } = flags;
    return checkSums(invocation, listing, { name, sumFile, reports, download, base64 });
  }
  // The file that the lines are written to changes with each of them.
  const { remote } = listing;
  const written = flags['output-file'] || '/proc/self/fd/1';
  const own = remote.traits.onDisk ? realPath(written) : undefined;
  const ownName = own && basename(own);
  const isOwn = ({ path }: FileEntry) =>
    own !== undefined && leafName(path) === ownName && cachePath(remote, path) === own;
  const how = { download: flags['hash-download'], tries: flags['low-level-retries'] };
  const line = ({ path }: FileEntry, hash: string | undefined) =>
    hashLine(hash, name, path, flags.base64);
  await withOutput(out, '--output-file', flags['output-file'], async (target) => {
    for await (const page of listing.files()) {
      const files = page.some(isOwn) ? page.filter((file) => !isOwn(file)) : page;
      let read: HashReader;
      try {
        read = pageHashReader(listing.run, remote, name, how, files);
      } catch (thrown) {
        // The remote lacks the hash: each file fails.
        read = () => Promise.reject(thrown);
      }
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
      for await (const batch of lines) await target.write(batch.join(''));
    }
  });
  listing.finish();
}

/** The result for a file; `skip` for an ignored one. */
type Outcome = 'match' | 'differ' | 'no-sum' | 'no-hash' | 'failed' | 'skip';

/** How many faults of a SUM file are logged. */
const MOST_FAULTS = 3;

/**
 * Checks files against a SUM file (`checksum`, `--checkfile`). The reports get a line per file as in `check`;
 * differences are errors, and the log shows totals. Rejects with `differences` if there are any.
 *
 * @param check `sumFile`: its path, `-` for standard input; by the flags, files are downloaded, sums may be base64, and
 *   files without a sum are ignored
 */
async function checkSums(
  invocation: CommandCall & Remotes & StandardInput,
  listing: Listing,
  check: {
    readonly name: HashName;
    readonly sumFile: string;
    readonly reports: CheckReports;
    readonly download: boolean;
    readonly base64?: boolean;
    readonly 'one-way'?: boolean;
  },
): Promise<void> {
  const { remote, run, hashesAtOnce } = listing;
  const { flags } = invocation;
  if (!check.download && !remote.traits.hashes.includes(check.name)) {
    const why = 'hash type is not supported by file system';
    throw new SyncerError('unsupported', `${check.name}: ${why}: ${remote.title}`);
  }
  const how = { download: check.download, tries: flags['low-level-retries'] };
  const { sums, faults } = await readSums(invocation, check.sumFile);
  const others = faults.length - MOST_FAULTS;
  const suppressed = others > 0 ? [`${others} warning(s) suppressed...`] : [];
  for (const text of [...faults.slice(0, MOST_FAULTS), ...suppressed])
    run.log('notice', leafName(check.sumFile), 'message', { text });
  // Those that the rules for paths include: the size and age of a missing file are unknown.
  const isListed = (path: string) =>
    listing.file === undefined ? run.filter.keepPath(path) : path === listing.file.path;
  const unseen = new Set([...sums.keys()].filter(isListed));
  const counts = { match: 0, differ: 0, 'no-sum': 0, 'no-hash': 0, failed: 0, skip: 0, missing: 0 };

  const fail = (path: string, message: string) =>
    run.tally.add(new SyncerError('differences', message, { path }), path);
  const compare = async (file: FileEntry, read: HashReader): Promise<[FileEntry, Outcome]> => {
    const expected = sums.get(file.path);
    if (expected === undefined) return [file, check['one-way'] ? 'skip' : 'no-sum'];
    try {
      const hash = await read(file);
      if (hash === undefined) return [file, 'no-hash'];
      // Like rclone, accepts hexadecimal with --base64 too.
      const isBase64 = check.base64 && hexToBase64(hash).toLowerCase() === expected;
      return [file, hash === expected || isBase64 ? 'match' : 'differ'];
    } catch (thrown) {
      run.op.signal.throwIfAborted();
      run.fail(thrown, file.path, 'hash');
      return [file, 'failed'];
    }
  };

  for await (const files of listing.files()) {
    const summed = files.filter(({ path }) => sums.has(path));
    const read = pageHashReader(run, remote, check.name, how, summed);
    const comparing = orderedBatches(files, hashesAtOnce, (file) => compare(file, read));
    for await (const batch of comparing) {
      for (const [{ path }, outcome] of batch) {
        unseen.delete(path);
        counts[outcome]++;
        if (outcome === 'skip') continue;
        if (outcome === 'no-sum') fail(path, 'sum not found');
        if (outcome === 'differ') fail(path, 'files differ');
        await reportOutcome(check.reports, REPORTED[outcome], path);
      }
    }
  }
  for (const path of unseen) {
    counts.missing++;
    fail(path, `file not in ${remote.title}`);
    await reportOutcome(check.reports, 'missing-on-dst', path);
  }
  tell(listing, counts);
  const { differ, missing, failed } = counts;
  const differences = differ + missing + counts['no-sum'];
  if (differences + failed === 0) return listing.finish();
  const last = missing > 0 ? `file not in ${remote.title}` : `${differences} differences found`;
  throw new SyncerError('differences', last);
}

/** In reports, the side with the sums is the source. */
const REPORTED: Readonly<Record<Exclude<Outcome, 'skip'>, CheckOutcome>> = {
  match: 'match',
  'no-hash': 'match',
  differ: 'differ',
  'no-sum': 'missing-on-src',
  failed: 'error',
};

function tell({ run, remote }: Listing, counts: Readonly<Record<Outcome | 'missing', number>>) {
  const errors = counts.differ + counts.missing + counts['no-sum'] + counts.failed;
  const lines: [count: number, text: string][] = [
    [counts.missing, 'files missing'],
    [counts['no-sum'], 'hashes missing'],
    // rclone also counts files that could not be compared as differences.
    [errors, 'differences found'],
    [errors, 'errors while checking'],
    [counts['no-hash'], 'hashes could not be checked'],
    [counts.match + counts['no-hash'], 'matching files'],
  ];
  for (const [count, text] of lines) {
    if (count === 0 && text !== 'differences found') continue;
    // Missing sums belong to the SUM file, not to the remote.
    const path = text === 'hashes missing' ? undefined : remote.title;
    run.context.emit(logText('notice', `${count} ${text}`, path));
  }
}

async function readSums(
  invocation: CommandCall & Remotes & StandardInput,
  path: string,
): Promise<SumFile> {
  const { signal } = invocation.context;
  if (path === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of bodyChunks(invocation.input(), signal)) chunks.push(chunk);
    return sumsIn(Buffer.concat(chunks), path);
  }
  const { remote, file } = await invocation.remotes.openPath(path);
  if (file === undefined) {
    throw new SyncerError('not-a-file', `not a sum file: ${remote.title}`, { path });
  }
  const content = await collectBody(await remote.read(file, undefined, { signal }), signal);
  return sumsIn(content, path);
}

function sumsIn(content: Uint8Array, path: string): SumFile {
  try {
    return parseSumFile(userText(content));
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SyncerError('usage', `cannot read the SUM file ${path}: ${why}`, { path, cause });
  }
}
