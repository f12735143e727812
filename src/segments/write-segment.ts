import { statSync } from 'node:fs';
import { compareNames } from '../core/name-order.ts';
import type { FreshRecords } from './fresh-records.ts';
import type { RecordFormat, RecordSource } from './record-format.ts';
import type { SegmentFolder } from './segment-folder.ts';
import { SegmentReader } from './segment-reader.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Segments up to this size are always merged into a new one, in bytes. */
const SMALL_SEGMENT = 64 * 1024;

/** Fewer segments that are somewhat larger are not merged: it costs as much as to learn their records again. */
const ALIKE = 4;

/** How long segments are written without yielding, in milliseconds. */
const TURN_MS = 10;

/** Other work may run after this many records. */
const RECORDS_A_TURN = 4096;

type Named = { readonly name: string };

/** A segment that is merged into a new one. */
export interface Absorbed<T extends Named> {
  readonly path: string;
  /** Whether its current record is kept. */
  readonly keeps: (reader: SegmentReader<T>) => boolean;
}

/** What to write for an id. */
export interface SegmentNews<T extends Named> {
  readonly id: string;
  readonly fresh: FreshRecords<T>;
  /** The segments that the new one replaces. */
  readonly absorbed: readonly Absorbed<T>[];
  /** The record to keep of several with one name; `undefined`: none. */
  readonly choose: (same: readonly T[]) => T | undefined;
}

/** The pauses of one or more calls of `writeSegment`, in which other work may run. */
export function pauses(clock: { monotonic(): number }): () => Promise<void> {
  let turnMs = clock.monotonic();
  return async () => {
    if (clock.monotonic() - turnMs < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    turnMs = clock.monotonic();
  };
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
  if (fresh.count === 0 && absorbed.length === 0) return false;
  const readers = absorbed.map(({ path, keeps }) => ({
    reader: new SegmentReader(folder.format, path, id),
    keeps,
  }));
  const { writer, kept } = folder.write(id);
  try {
    const sources = [fresh.sorted(), ...readers.map((one) => keptRecords(one))];
    let count = 0;
    for (const same of sameNames(sources)) {
      if (addOne(writer, same, choose) && ++count % RECORDS_A_TURN === 0) await pause();
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

/** Adds what is kept of the current records of some sources, which have one name; `false` if nothing is. */
function addOne<T extends Named>(
  writer: SegmentWriter<T>,
  same: readonly RecordSource<T>[],
  choose: SegmentNews<T>['choose'],
): boolean {
  const only = onlyBytes(writer.format, same);
  if (only !== undefined) {
    writer.addBytes(only);
    return true;
  }
  const record = choose(same.map((source) => source.record()).filter((one) => one !== undefined));
  if (record !== undefined) writer.add(record);
  return record !== undefined;
}

/** The bytes to keep if there is one record, or of two that are alike the later one; `undefined`: they are to be read. */
function onlyBytes<T extends Named>(
  format: RecordFormat<T>,
  [first, second, third]: readonly RecordSource<T>[],
): Buffer | undefined {
  if (first === undefined || third !== undefined) return undefined;
  const bytes = first.bytes();
  if (second === undefined) return bytes;
  const others = second.bytes();
  const order = format.compareAge(bytes, others);
  return order === undefined ? undefined : order > 0 ? bytes : others;
}

/**
 * The segments to merge with new records: those no larger than the new records plus all smaller segments, so that a
 * record is rewritten only when its segment has doubled; and if there are some, those up to twice as large: runs that
 * read the same files write segments of the same size.
 *
 * @param freshBytes the size of the new records
 */
export function comparableSegments(paths: readonly string[], freshBytes: number): string[] {
  const sized = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, size: stats.size }];
  });
  let bytes = freshBytes;
  const absorbed: string[] = [];
  for (const { path, size } of sized.sort((a, b) => a.size - b.size)) {
    if (size > Math.max(SMALL_SEGMENT, bytes)) break;
    bytes += size;
    absorbed.push(path);
  }
  const alike = sized.slice(absorbed.length).filter(({ size }) => size <= 2 * bytes);
  return alike.length < ALIKE ? absorbed : [...absorbed, ...alike.map(({ path }) => path)];
}

/** The records of a segment that are kept. */
function keptRecords<T extends Named>({
  reader,
  keeps,
}: {
  readonly reader: SegmentReader<T>;
  readonly keeps: Absorbed<T>['keeps'];
}): RecordSource<T> {
  const skip = () => {
    while (reader.name !== undefined && !keeps(reader)) reader.advance();
  };
  skip();
  return {
    get name() {
      return reader.name;
    },
    advance() {
      reader.advance();
      skip();
    },
    record: () => reader.record(),
    bytes: () => reader.bytes(),
  };
}

/** For each name the sources whose current record has it, in order of names. The list is the same every time. */
function* sameNames<T extends Named>(
  sources: readonly RecordSource<T>[],
): Generator<readonly RecordSource<T>[]> {
  const same: RecordSource<T>[] = [];
  for (;;) {
    let least: string | undefined;
    for (let at = 0; at < sources.length; at++) {
      const source = sources[at] as RecordSource<T>;
      const { name } = source;
      if (name === undefined) continue;
      const order = least === undefined ? -1 : compareNames(name, least);
      if (order < 0) {
        same.length = 0;
        least = name;
      }
      if (order <= 0) same.push(source);
    }
    if (least === undefined) return;
    yield same;
    for (let at = 0; at < same.length; at++) same[at]?.advance();
    same.length = 0;
  }
}
