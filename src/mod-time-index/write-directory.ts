import type { FreshRecords } from '../segments/fresh-records.ts';
import type { SegmentFolder } from '../segments/segment-folder.ts';
import { type Absorbed, comparableSegments, writeSegment } from '../segments/write-segment.ts';
import type { SeenSegment } from './directory-times.ts';
import { contradict, type KnownTime } from './known-time.ts';

/** What to write for a directory. */
export interface DirectoryNews {
  readonly id: string;
  readonly fresh: FreshRecords<KnownTime>;
  /** The segments to replace, if a listing showed which of their records are still valid. */
  readonly seen: readonly SeenSegment[] | undefined;
}

/** Writes the known times of a directory; see `writeSegment`. */
export function writeDirectory(
  folder: SegmentFolder<KnownTime>,
  news: DirectoryNews,
  pause: () => Promise<void>,
): Promise<boolean> {
  const { id, fresh } = news;
  const absorbed = chooseAbsorbed(folder, news);
  return writeSegment(folder, { id, fresh, absorbed, choose: chooseKnown }, pause);
}

function chooseAbsorbed(
  folder: SegmentFolder<KnownTime>,
  { id, fresh, seen }: DirectoryNews,
): Absorbed<KnownTime>[] {
  const there = folder.segments(id);
  if (seen?.every(({ path }) => there.includes(path))) {
    return seen.map(({ path, seen: records }) => ({
      path,
      keeps: ({ ordinal }) => records.has(ordinal),
    }));
  }
  if (fresh.count === 0) return [];
  return comparableSegments(there, fresh.size).map((path) => ({ path, keeps: () => true }));
}

/** The last written if both cannot be valid; none if two contradict each other. */
function chooseKnown(all: readonly KnownTime[]): KnownTime | undefined {
  let latest = all[0];
  for (const one of all) if (latest === undefined || one.toMs > latest.toMs) latest = one;
  const last = latest;
  return last === undefined || all.some((one) => contradict(one, last)) ? undefined : last;
}
