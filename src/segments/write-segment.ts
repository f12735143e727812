import { statSync } from 'node:fs';
import { compareNames } from '../core/name-order.ts';
import type { SegmentFolder } from './segment-folder.ts';
import { SegmentReader } from './segment-reader.ts';

/** Segments up to this size are always merged into a new one, in bytes. */
const SMALL_SEGMENT = 64 * 1024;

/** Other work may run after this many records. */
const RECORDS_A_TURN = 4096;

type Named = { readonly name: string };

/** A segment that is merged into a new one. */
export interface Absorbed {
  readonly path: string;
  readonly keeps: (ordinal: number) => boolean;
}

/** What to write for an id. */
export interface SegmentNews<T extends Named> {
  readonly id: string;
  /** New records, sorted by name. */
  readonly fresh: readonly T[];
  /** The segments that the new one replaces. */
  readonly absorbed: readonly Absorbed[];
  /** The record to keep of several with one name; `undefined`: none. */
  readonly choose: (same: readonly T[]) => T | undefined;
}

/**
 * Writes a segment with new records and those of the segments that it replaces. `false` if there is nothing to do.
 * Rejects with errors of the file system.
 */
export async function writeSegment<T extends Named>(
  folder: SegmentFolder<T>,
  { id, fresh, absorbed, choose }: SegmentNews<T>,
  pause: () => Promise<void>,
): Promise<boolean> {
  if (fresh.length === 0 && absorbed.length === 0) return false;
  const readers = absorbed.map(({ path, keeps }) => ({
    reader: new SegmentReader(folder.format, path, id),
    keeps,
  }));
  const { writer, kept } = folder.write(id);
  try {
    const all = [fresh.values(), ...readers.map((one) => recordsOf(one))];
    let count = 0;
    for (const record of mergeRecords(all, choose)) {
      writer.add(record);
      if (++count % RECORDS_A_TURN === 0) await pause();
    }
    if (count === 0) writer.discard();
    else {
      writer.commit();
      kept();
    }
  } catch (error) {
    writer.discard();
    throw error;
  } finally {
    for (const { reader } of readers) reader.close();
  }
  for (const { path } of absorbed) folder.remove(id, path);
  await pause();
  return true;
}

/**
 * The segments no larger than the new records plus all smaller segments: a record is rewritten only when its segment
 * has doubled, so few segments exist.
 *
 * @param freshBytes the size of the new records
 */
export function comparableSegments(paths: readonly string[], freshBytes: number): Absorbed[] {
  const sized = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, size: stats.size }];
  });
  let bytes = freshBytes;
  const absorbed: Absorbed[] = [];
  for (const { path, size } of sized.sort((a, b) => a.size - b.size)) {
    if (size > Math.max(SMALL_SEGMENT, bytes)) break;
    bytes += size;
    absorbed.push({ path, keeps: () => true });
  }
  return absorbed;
}

function* recordsOf<T extends Named>({
  reader,
  keeps,
}: {
  readonly reader: SegmentReader<T>;
  readonly keeps: (ordinal: number) => boolean;
}): Generator<T> {
  for (; reader.name !== undefined; reader.advance()) {
    const record = keeps(reader.ordinal) ? reader.record() : undefined;
    if (record !== undefined) yield record;
  }
}

/** Merges sorted sequences, at most one record per name. */
function* mergeRecords<T extends Named>(
  sources: readonly Iterator<T>[],
  choose: (same: readonly T[]) => T | undefined,
): Generator<T> {
  const heads = sources.map((source) => ({ source, at: take(source) }));
  for (;;) {
    let least: string | undefined;
    for (const { at } of heads) {
      if (at === undefined) continue;
      if (least === undefined || compareNames(at.name, least) < 0) least = at.name;
    }
    if (least === undefined) return;
    const same: T[] = [];
    for (const head of heads) {
      if (head.at?.name !== least) continue;
      same.push(head.at);
      head.at = take(head.source);
    }
    const kept = choose(same);
    if (kept !== undefined) yield kept;
  }
}

function take<T>(source: Iterator<T>): T | undefined {
  const { value, done } = source.next();
  return done === true ? undefined : value;
}
