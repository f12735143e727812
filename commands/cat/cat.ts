import { bodyChunks, openWithDetails } from '../../src/core/body.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Body, FileEntry, ReadRange } from '../../src/core/remote.ts';
import { confirmedEmpty, trueSizeOf } from '../../src/core/remote-calls.ts';
import { readSource } from '../../src/engine/copy/read-source.ts';
import { type ContentCheck, contentCheck } from '../../src/hashes/content-hasher.ts';
import { inOrder } from '../../src/listing/ordered-batches.ts';
import { type Listing, openListing } from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';
import type { CAT_FLAGS } from './command.ts';

/** How many files are open at the same time: the one being printed and the next ones. */
const OPEN_FILES = 4;

interface OpenFile {
  readonly file: FileEntry;
  readonly id: number;
  /** `undefined` if none of it is printed, or it could not be opened. */
  readonly body: Body | undefined;
  /** Absent if a part of it is printed, or the user wants none. */
  readonly check?: ContentCheck;
}

export async function catCommand(
  invocation: CommandCall<typeof CAT_FLAGS> & Remotes & StandardOutput,
): Promise<void> {
  const part = catPart(invocation.flags);
  const listing = await openListing(invocation);
  const open = (file: FileEntry) => openFile(invocation, listing, part, file);
  const all = async function* () {
    for await (const files of listing.files()) yield* files;
  };
  for await (const opened of inOrder(all(), OPEN_FILES, open)) {
    await print(invocation, listing, part, opened);
  }
  listing.finish();
}

async function openFile(
  invocation: CommandCall<typeof CAT_FLAGS>,
  listing: Listing,
  part: CatPart,
  listed: FileEntry,
): Promise<OpenFile> {
  const { context, flags } = invocation;
  const { run, remote } = listing;
  const id = ++run.ids.last;
  // If that fails, reading it reports why.
  const file = await Promise.resolve(confirmedEmpty(remote, listed, run.op)).catch(() => listed);
  const range = catRange(part, file.size);
  if (range === 'nothing') return { file, id, body: undefined };
  const { emit } = context;
  const size = Math.max(0, range?.length ?? file.size - (range?.offset ?? 0));
  emit({ type: 'transfer-start', id, kind: 'copy', path: file.path, size });
  const plan = {
    run,
    remote,
    file,
    tries: flags['low-level-retries'],
    isSized: true,
    route: { up: false, down: !remote.traits.onDisk },
    id,
  };
  try {
    if (range !== undefined) return { file, id, body: await readSource(plan, range, run.op) };
    // The response to the request for the whole knows more hashes than the listing.
    const { details } = remote.can;
    const opened =
      details?.body === true ? await openWithDetails(details, file, run.op) : undefined;
    const body = await readSource(plan, undefined, run.op, opened?.body);
    const isPart = isFromUnknownEnd(part, file.size);
    if (isPart || flags['ignore-checksum']) return { file, id, body };
    const { path, hashes = {} } = opened?.file ?? file;
    // A file of a disk may grow while it is read.
    return { file, id, body, check: contentCheck({ path, size: undefined, hashes }) };
  } catch (thrown) {
    run.op.signal.throwIfAborted();
    const trueSize = trueSizeOf(file, thrown);
    if (trueSize !== undefined) {
      emit({ type: 'transfer-end', id });
      // The listed hashes are not those of the content, either.
      return openFile(invocation, listing, part, { ...file, size: trueSize, hashes: {} });
    }
    run.fail(thrown, file.path, 'open');
    emit({ type: 'transfer-end', id });
    return { file, id, body: undefined };
  }
}

async function print(
  { context, flags, out }: CommandCall<typeof CAT_FLAGS> & StandardOutput,
  { run }: Listing,
  part: CatPart,
  { file, id, body, check }: OpenFile,
): Promise<void> {
  if (body === undefined) return;
  const { signal } = run.op;
  const chunks = bodyChunks(body, signal);
  const shown = isFromUnknownEnd(part, file.size) ? lastPart(chunks, part) : chunks;
  try {
    // Write one chunk while reading the next.
    let writing: Promise<void> = Promise.resolve();
    for await (const chunk of shown) {
      check?.update(chunk);
      await writing;
      if (!flags.discard) writing = out.write(chunk);
    }
    await writing;
    check?.finish();
  } catch (thrown) {
    signal.throwIfAborted();
    run.fail(thrown, file.path, 'write-out');
  }
  if (flags['cat-separator'] && !flags.discard) await out.write(flags['cat-separator']);
  context.emit({ type: 'transfer-end', id });
}

/** Which part of each file is printed. */
export interface CatPart {
  /** Negative counts from the end. */
  readonly offset: number;
  /** -1 to the end. */
  readonly count: number;
}

/**
 * Reads the flags as rclone does: ignores a head, tail or count below its smallest valid value. Throws `usage` if two
 * of them contradict each other.
 */
export function catPart(
  flags: Partial<Record<'head' | 'tail' | 'offset' | 'count', number | undefined>>,
): CatPart {
  const { head = 0, tail = 0, offset = 0, count = -1 } = flags;
  const used = [head > 0, tail > 0, offset !== 0 || count >= 0].filter(Boolean).length;
  if (used > 1) {
    throw new SyncerError('usage', 'use only one of --head, --tail, and --offset with --count');
  }
  if (head > 0) return { offset: 0, count: head };
  return tail > 0 ? { offset: -tail, count: -1 } : { offset, count };
}

/**
 * The range of a file of `size` bytes (-1: unknown) to be read; `'nothing'` if it is empty. An empty file is read whole:
 * it may be unreadable, or a delete marker. One of unknown size, too, if its end is wanted: `lastPart` cuts that.
 */
export function catRange(part: CatPart, size: number): ReadRange | undefined | 'nothing' {
  if (part.count === 0) return 'nothing';
  if (size === 0 || isFromUnknownEnd(part, size)) return undefined;
  const offset = part.offset < 0 ? Math.max(0, size + part.offset) : part.offset;
  // Servers refuse such a range, or send the whole file.
  if (size > 0 && offset >= size) return 'nothing';
  if (part.count > 0) return { offset, length: part.count };
  return offset === 0 ? undefined : { offset };
}

/** Whether a part is counted from an end that only reading finds. */
export function isFromUnknownEnd({ offset }: CatPart, size: number): boolean {
  return size < 0 && offset < 0;
}

/** The part of a content that is counted from its end; keeps no more of it than that. */
export async function* lastPart(
  chunks: AsyncIterable<Buffer>,
  { offset, count }: CatPart,
): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    bytes += chunk.length;
    // As much again and 1 MiB may be kept, so that it is copied rarely.
    if (bytes > -2 * offset + 1024 ** 2) {
      kept = [Buffer.concat(kept).subarray(offset)];
      bytes = -offset;
    }
  }
  const last = Buffer.concat(kept).subarray(offset);
  yield count < 0 ? last : last.subarray(0, count);
}
