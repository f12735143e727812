import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry } from '../../core/remote.ts';
import { wantedTimes } from '../../listing/detail-reader.ts';
import { duplicatesText } from '../../listing/ls-lines.ts';
import type { DedupeMode } from '../../sync/dedupe-mode.ts';
import { deleteFiles } from '../../sync/delete-files.ts';
import { DuplicateFinder, type DuplicateGroup, fileToKeep } from '../../sync/duplicate-finder.ts';
import { type DeleteBudget, deleteBudget } from '../../sync/run-limits.ts';
import type { Invocation } from '../command.ts';
import { choose, inputLines, type ReadLine } from '../interactive/input-lines.ts';
import { deleteLimits } from '../transfer/delete-limits.ts';
import type { Listing } from './open-listing.ts';

/** Modes that need no modification times. */
const TIMELESS: readonly DedupeMode[] = ['first', 'largest', 'smallest'];

/** The result for a group; `quit` stops. */
type Settled = 'next' | 'quit';

/** Applies the mode to each group of files with equal hashes. */
export async function deleteDuplicates(
  invocation: Invocation,
  listing: Listing,
  name: HashName,
  mode: DedupeMode,
): Promise<void> {
  const { run } = listing;
  const readLine = mode === 'interactive' ? inputLines(invocation.input()) : noInput;
  const budget = deleteBudget(...deleteLimits(invocation.flags));
  for (const group of await findDuplicates(listing, name)) {
    const { hash, files } = group;
    run.log('notice', hash, 'message', {
      text: `Found ${files.length} files with duplicate ${name} hashes`,
    });
    const settled = await settle(invocation, listing, group, { name, mode, readLine, budget });
    if (settled === 'quit') return;
  }
}

async function findDuplicates(listing: Listing, name: HashName): Promise<DuplicateGroup[]> {
  const finder = new DuplicateFinder(name);
  const wanted = { modTime: false, mimeType: false, metadata: false, hashes: [name] };
  for await (const files of listing.detailed(listing.files(), wanted)) {
    for (const file of files) finder.add(file);
  }
  return finder.groups();
}

interface Rules {
  readonly name: HashName;
  readonly mode: DedupeMode;
  readonly readLine: ReadLine;
  readonly budget: DeleteBudget;
}

async function settle(
  invocation: Invocation,
  listing: Listing,
  { hash, files }: DuplicateGroup,
  { name, mode, readLine, budget }: Rules,
): Promise<Settled> {
  const { run } = listing;
  if (mode === 'skip') {
    run.log('notice', hash, 'message', {
      text: `Skipping ${files.length} files with duplicate ${name} hashes`,
    });
    return 'next';
  }
  const timed = TIMELESS.includes(mode) ? files : await withTimes(listing, files);
  const text = duplicatesText(hash, timed, listing.now);
  if (mode === 'list') await invocation.out.write(text);
  if (mode !== 'interactive') {
    await keepOne(listing, { hash, files: timed }, fileToKeep(timed, mode), budget);
    return 'next';
  }
  const print = (words: string) => invocation.out.write(words);
  const answer = await choose(
    text.trimEnd(),
    [
      ['s', 'Skip and do nothing'],
      ['k', 'Keep just one (choose which in next step)'],
      ['q', 'Quit'],
    ],
    print,
    readLine,
  );
  if (answer === undefined) throw nobodyAnswers();
  if (answer === 'k') {
    const kept = await askWhich(timed, print, readLine);
    await keepOne(listing, { hash, files: timed }, kept, budget);
  }
  return answer === 'q' ? 'quit' : 'next';
}

async function withTimes(listing: Listing, files: readonly FileEntry[]): Promise<FileEntry[]> {
  const timed: FileEntry[] = [];
  for await (const page of listing.detailed(onePage(files), wantedTimes)) timed.push(...page);
  return timed;
}

/** Deletes all files of a group but one. */
async function keepOne(
  { run, remote }: Listing,
  { hash, files }: DuplicateGroup,
  kept: FileEntry | undefined,
  budget: DeleteBudget,
): Promise<void> {
  if (kept === undefined) return;
  const extra: FileEntry[] = [];
  for (const file of files) {
    if (file === kept) continue;
    // Deleting one of two names of a file would delete both.
    const isKept = await run.places.isSameFile({ remote, file }, { remote, file: kept });
    if (!isKept) extra.push(file);
    else
      run.log('notice', file.path, 'message', {
        text: `Not deleted: it is the same file as "${kept.path}"`,
      });
  }
  const deleted = await deleteFiles(run, remote, [extra], { budget, width: 1 });
  if (deleted > 0) run.log('notice', hash, 'message', { text: `Deleted ${deleted} extra copies` });
}

async function askWhich(
  files: readonly FileEntry[],
  print: (text: string) => Promise<void>,
  readLine: ReadLine,
): Promise<FileEntry> {
  for (;;) {
    await print('Enter the number of the file to keep> ');
    const line = await readLine();
    if (line === undefined) throw nobodyAnswers();
    const file = /^\d+$/.test(line.trim()) ? files[Number(line) - 1] : undefined;
    if (file !== undefined) return file;
    await print(`This value must be a number from 1 to ${files.length}.\n`);
  }
}

function nobodyAnswers(): SyncerError {
  const text = 'cannot ask what to do with duplicates: end of standard input';
  return new SyncerError('no-answer', text, { advice: 'use --dedupe-mode' });
}

const noInput: ReadLine = async () => undefined;

async function* onePage<E>(page: readonly E[]): AsyncGenerator<readonly E[]> {
  yield page;
}
