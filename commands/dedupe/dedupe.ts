import { Readable } from 'node:stream';
import { SyncerError } from '../../src/core/errors.ts';
import type { HashName } from '../../src/core/hash-names.ts';
import { ownEntry } from '../../src/core/own-text.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import {
  type DedupeMode,
  type DuplicateGroup,
  duplicateGroups,
  fileToKeep,
  parseDedupeMode,
} from '../../src/engine/duplicates.ts';
import { deleteFiles } from '../../src/engine/loss/delete-files.ts';
import { startRun } from '../../src/engine/run.ts';
import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { formatDateTimeNs } from '../../src/listing/time-format.ts';
import { type Listing, onePage, openListing } from '../../src/run/listing/open-listing.ts';
import { SKIP_LINKS } from '../../src/run/remotes/remote-flags.ts';
import type {
  Changing,
  CommandCall,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { deleteBudget } from '../../src/shell/flags/delete-limits.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { type AskLine, choose, lineAsker } from '../../src/shell/interactive/input-lines.ts';
import type { DEDUPE_FLAGS } from './command.ts';

export async function dedupeCommand(
  invocation: CommandCall<typeof DEDUPE_FLAGS> &
    Remotes &
    StandardOutput &
    StandardInput &
    Changing,
): Promise<void> {
  const { args, flags, context, consent } = invocation;
  const spec = args.at(-1) ?? '';
  const mode = parseDedupeMode(args.length > 1 ? (args[0] ?? '') : flags['dedupe-mode']);
  const byHash = flags['by-hash'];
  if (byHash && mode === 'rename') {
    throw cannotUse('--by-hash', 'the mode rename', 'it finds files of different names');
  }
  const found = await openListing(invocation, spec, { leavesShortcuts: true });
  // Following a link would show its target as a duplicate.
  const mayFollow = byHash && found.remote.traits.onDisk && found.file === undefined;
  const opened = mayFollow ? await openListing(invocation, spec, { fixed: SKIP_LINKS }) : found;
  const { filter } = opened.run;
  // Only one attempt: do not ask the same questions again.
  const attempt = startRun({ context, filter, consent, budget: deleteBudget(flags) });
  const listing = opened.within(attempt);
  const { title, traits } = listing.remote;
  const [name] = traits.hashes;
  if (byHash) {
    if (name === undefined) throw new SyncerError('unsupported', `${title} has no hashes`);
    attempt.log('info', title, 'message', {
      text: `Looking for duplicate ${name} hashes using ${mode} mode.`,
    });
    await deleteDuplicates(invocation, listing, name, mode);
  } else {
    const hint = 'Perhaps you wanted --by-hash ? Continuing anyway.';
    attempt.log('notice', title, 'message', { text: `Can't have duplicate names here. ${hint}` });
    attempt.log('info', title, 'message', {
      text: `Looking for duplicate names using ${mode} mode.`,
    });
    // No backend allows duplicate names; the listing checks that the path exists.
    for await (const _ of listing.files());
  }
  listing.finish();
}

/** Applies the mode to each group of files with equal hashes. */
export async function deleteDuplicates(
  invocation: CommandCall & StandardOutput & StandardInput,
  listing: Listing,
  name: HashName,
  mode: DedupeMode,
): Promise<void> {
  const { run } = listing;
  const print = (text: string) => invocation.out.write(text);
  const stdin = mode === 'interactive' ? invocation.input() : Readable.from([]);
  const ask = lineAsker(stdin, print, invocation.context.clock.monotonic);
  const found: FileEntry[] = [];
  const wanted = { modTime: false, mimeType: false, metadata: false, hashes: [name] };
  for await (const files of listing.detailed(listing.files(), wanted)) {
    for (const file of files) found.push(ownEntry(file));
  }
  for (const { hash, files } of duplicateGroups(found, name)) {
    const which = `${files.length} files with duplicate ${name} hashes`;
    run.log('notice', hash, 'message', { text: `Found ${which}` });
    if (mode === 'skip') {
      run.log('notice', hash, 'message', { text: `Skipping ${which}` });
      continue;
    }
    let timed = files;
    if (mode !== 'first' && mode !== 'largest' && mode !== 'smallest') {
      const known: FileEntry[] = [];
      for await (const page of listing.detailed(onePage(files), wantedTimes))
        for (const file of page) known.push(file);
      timed = known;
    }
    const text = duplicatesText(hash, timed, listing.now);
    if (mode === 'list') await print(text);
    if (mode !== 'interactive') {
      await keepOne(listing, { hash, files: timed }, fileToKeep(timed, mode));
      continue;
    }
    const answer = await choose(
      text.trimEnd(),
      [
        ['s', 'Skip and do nothing'],
        ['k', 'Keep just one (choose which in next step)'],
        ['q', 'Quit'],
      ],
      ask,
    );
    if (answer === undefined) throw nobodyAnswers();
    if (answer === 'k') {
      const kept = await askWhich(timed, ask);
      await keepOne(listing, { hash, files: timed }, kept);
    }
    if (answer === 'q') return;
  }
}

async function keepOne(
  { run, remote }: Listing,
  { hash, files }: DuplicateGroup,
  kept: FileEntry | undefined,
): Promise<void> {
  if (kept === undefined) return;
  const extra: FileEntry[] = [];
  for (const file of files) {
    if (file === kept) continue;
    // Deleting one of two names of a file would delete both.
    const [doomed, other] = [
      { remote, file },
      { remote, file: kept },
    ];
    const isKept = await run.places.isSameFile(doomed, other);
    if (!isKept) {
      await run.places.showApart(doomed, other);
      extra.push(file);
    } else
      run.log('notice', file.path, 'message', {
        text: `Not deleted: it is the same file as "${kept.path}"`,
      });
  }
  const deleted = await deleteFiles(run, remote, [extra], { width: 1 });
  if (deleted > 0) run.log('notice', hash, 'message', { text: `Deleted ${deleted} extra copies` });
}

async function askWhich(files: readonly FileEntry[], ask: AskLine): Promise<FileEntry> {
  const prompt = 'Enter the number of the file to keep> ';
  let text = prompt;
  for (;;) {
    const line = await ask(text);
    if (line === undefined) throw nobodyAnswers();
    const file = /^\d+$/.test(line.trim()) ? files[Number(line) - 1] : undefined;
    if (file !== undefined) return file;
    text = `This value must be a number from 1 to ${files.length}.\n${prompt}`;
  }
}

function nobodyAnswers(): SyncerError {
  const text = 'cannot ask what to do with duplicates: end of standard input';
  return new SyncerError('no-answer', text, { advice: 'use --dedupe-mode' });
}

/** Files of one hash as `dedupe` lists them, numbered from 1; `now` replaces unknown times. */
export function duplicatesText(hash: string, files: readonly FileEntry[], now: bigint): string {
  const lines = files.map(({ path, size, modTime = now }, i) => {
    const bytes = String(size).padStart(12);
    return `  ${i + 1}: ${bytes} bytes, ${formatDateTimeNs(modTime)}, ${path}\n`;
  });
  return `${hash}: ${files.length} duplicates\n${lines.join('')}`;
}
