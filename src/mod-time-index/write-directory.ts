import { statSync } from 'node:fs';
import { compareNames } from '../core/name-order.ts';
import type { SeenSegment } from './directory-times.ts';
import type { IndexFolder } from './index-folder.ts';
import { contradict, type KnownTime } from './known-time.ts';
import { SegmentReader } from './segment-reader.ts';

/** Records in the order of their names. */
type KnownTimes = Iterator<KnownTime>;

/** Segments up to this size are always merged into a new one, in bytes. */
const SMALL_SEGMENT = 64 * 1024;

/** Estimated size of a record, in bytes. */
const USUAL_RECORD = 64;

/** Other work may run after this many records. */
const RECORDS_A_TURN = 4096;

/** What to write for a directory. */
export interface DirectoryNews {
  readonly id: string;
  readonly fresh: readonly KnownTime[];
  /** The segments to replace, if a listing showed which of their records are still valid. */
  readonly seen: readonly SeenSegment[] | undefined;
}

/** A segment that is merged into a new one. */
interface Absorbed {
  readonly path: string;
  readonly keeps: (ordinal: number) => boolean;
}

/**
 * Writes a segment with new records and those of the segments that it replaces. `false` if there is nothing to do.
 * Rejects with errors of the file system.
 */
export async function writeDirectory(
  folder: IndexFolder,
  news: DirectoryNews,
  pause: () => Promise<void>,
): Promise<boolean> {
  const { id, fresh } = news;
  const absorbed = chooseAbsorbed(folder, news);
  if (fresh.length === 0 && absorbed.length === 0) return false;
  const readers = absorbed.map(({ path, keeps }) => ({
    reader: new SegmentReader(path, id),
    keeps,
  }));
  const { writer, kept } = folder.write(id);
  try {
    const all = [fresh.values(), ...readers.map(recordsOf)];
    let count = 0;
    for (const known of mergeKnown(all)) {
      writer.add(known);
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

function chooseAbsorbed(folder: IndexFolder, { id, fresh, seen }: DirectoryNews): Absorbed[] {
  const there = folder.segments(id);
  if (seen?.every(({ path }) => there.includes(path))) {
    return seen.map(({ path, seen: records }) => ({
      path,
      keeps: (ordinal) => records.has(ordinal),
    }));
  }
  return fresh.length === 0 ? [] : comparable(there, fresh.length * USUAL_RECORD);
}

/**
 * The segments no larger than the new records plus all smaller segments: a record is rewritten only when its segment
 * has doubled, so few segments exist.
 */
function comparable(paths: readonly string[], freshBytes: number): Absorbed[] {
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

function* recordsOf({
  reader,
  keeps,
}: {
  readonly reader: SegmentReader;
  readonly keeps: (ordinal: number) => boolean;
}): Generator<KnownTime> {
  for (; reader.name !== undefined; reader.advance()) {
    const known = keeps(reader.ordinal) ? reader.known() : undefined;
    if (known !== undefined) yield known;
  }
}

/**
 * Merges sorted sequences, one record per name: the last written if both cannot be valid; none if two contradict each
 * other.
 */
function* mergeKnown(sources: readonly KnownTimes[]): Generator<KnownTime> {
  const heads = sources.map((source) => ({ source, at: take(source) }));
  for (;;) {
    let least: string | undefined;
    for (const { at } of heads) {
      if (at === undefined) continue;
      if (least === undefined || compareNames(at.name, least) < 0) least = at.name;
    }
    if (least === undefined) return;
    const same: KnownTime[] = [];
    for (const head of heads) {
      if (head.at?.name !== least) continue;
      same.push(head.at);
      head.at = take(head.source);
    }
    const kept = chooseKnown(same);
    if (kept !== undefined) yield kept;
  }
}

function chooseKnown(all: readonly KnownTime[]): KnownTime | undefined {
  let latest = all[0];
  for (const one of all) if (latest === undefined || one.toMs > latest.toMs) latest = one;
  const last = latest;
  return last === undefined || all.some((one) => contradict(one, last)) ? undefined : last;
}

function take(source: KnownTimes): KnownTime | undefined {
  const { value, done } = source.next();
  return done === true ? undefined : value;
}
