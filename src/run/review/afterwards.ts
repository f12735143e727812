import type { Entry, Remote } from '../../core/remote.ts';
import { counted, figure } from '../../core/shown-text.ts';
import type { Traits } from '../../core/traits.ts';
import { formatReadableDuration } from '../../go/quantities.ts';
import type { PastRun } from '../../state/runs.ts';
import { type LinePart, part } from '../../terminal/fit-parts.ts';
import { type PlannedChange, reviewSize } from './planned-change.ts';

/** What the walk of a plan has seen of the destination. */
export interface SeenDest {
  readonly files: number;
  /** `undefined` if the size of a file is unknown. */
  readonly bytes: number | undefined;
  /** All that is there was seen. */
  readonly isAll: boolean;
  /** What changes of it cost. */
  readonly costs: Costs;
}

/** How changes become requests; a side without them is on a disk, or its requests are not known. */
interface Costs {
  /** Of files that are written; */
  readonly writes: Traits['requests'];
  /** one request for each file that is read. */
  readonly reads: boolean;
  /** Files that one request deletes. */
  readonly deletesAtOnce: number;
  /** A backup gets each file first that is replaced or deleted. */
  readonly keeps?: boolean;
}

/** What chosen changes make of the destination. */
export interface Effect {
  /** How many more files are there, and bytes. */
  files: number;
  bytes: number;
  /** The size of a file that comes or goes is unknown. */
  isUnsized: boolean;
  /** Files whose content is sent, and their bytes. */
  sent: number;
  sentBytes: number;
  /** Files that are deleted together with others. */
  deleted: number;
  /** Of everything else. */
  requests: number;
}

/** The last run between two places, and what it took. */
export type Pace = Pick<PastRun, 'tookMs' | 'files' | 'bytes'>;

/** The destination before its first page. */
export function nothingSeen(source: Remote, dest: Remote): SeenDest {
  const isOneStore = source.storeId !== undefined && source.storeId === dest.storeId;
  const costs: Costs = {
    writes: dest.traits.requests,
    reads: source.traits.requests !== undefined && !isOneStore,
    deletesAtOnce: dest.can.deletesAtOnce ?? 1,
  };
  return { files: 0, bytes: 0, isAll: true, costs };
}

/** What was seen with one more page. */
export function seeMore(seen: SeenDest, page: readonly Entry[], isAll: boolean): SeenDest {
  let [files, bytes] = [seen.files, seen.bytes];
  for (let at = 0; at < page.length; at++) {
    const entry = page[at] as Entry;
    if (entry.kind !== 'file') continue;
    files++;
    bytes = bytes === undefined || entry.size < 0 ? undefined : bytes + entry.size;
  }
  return { ...seen, files, bytes, isAll: seen.isAll && isAll };
}

/** No change at all. */
export function noEffect(): Effect {
  return { files: 0, bytes: 0, isUnsized: false, sent: 0, sentBytes: 0, deleted: 0, requests: 0 };
}

/** Adds what a change makes of the destination. */
export function addEffect(effect: Effect, change: PlannedChange, costs: Costs | undefined): void {
  const { kind, size, side, dest } = change;
  if (kind === 'delete') {
    if (side === 'source') return;
    effect.files--;
    if (costs?.keeps !== true) effect.deleted++;
    else if (costs.writes !== undefined) effect.requests += 2;
    grow(effect, -1, size);
    return;
  }
  if (kind === 'rename') effect.requests += costs?.writes === undefined ? 0 : 2;
  if (kind === 'time') effect.requests += costs?.writes === undefined ? 0 : 1;
  if (kind !== 'copy' && kind !== 'update' && kind !== 'move') return;
  effect.sent++;
  effect.sentBytes += Math.max(0, size);
  if (costs !== undefined) {
    const { writes, reads } = costs;
    // A file in parts takes two requests more: the first and the last.
    const parts =
      writes === undefined ? 0 : size <= writes.wholeUpTo ? 1 : 2 + Math.ceil(size / writes.part);
    effect.requests += parts + (reads ? 1 : 0);
  }
  grow(effect, 1, size);
  if (dest === undefined) {
    effect.files++;
    return;
  }
  grow(effect, -1, dest.size);
  if (costs?.keeps === true && costs.writes !== undefined) effect.requests++;
}

function grow(effect: Effect, sign: 1 | -1, size: number): void {
  if (size < 0) effect.isUnsized = true;
  else effect.bytes += sign * size;
}

/** What the destination will be, and what that takes: parts of one line, the most important with the lowest ranks. */
export function afterwards(
  { files, bytes, isAll, costs }: SeenDest,
  effect: Effect,
  pace: Pace | undefined,
): readonly LinePart[] {
  const size =
    bytes === undefined || effect.isUnsized ? '' : `, ${reviewSize(bytes + effect.bytes)}`;
  const least = isAll ? '' : 'at least ';
  const deletions =
    costs.writes === undefined ? 0 : Math.ceil(effect.deleted / Math.max(1, costs.deletesAtOnce));
  const requests = effect.requests + deletions;
  let time: string | undefined;
  // A run that took less, or sent less, does not show how long another one takes.
  if (
    pace &&
    effect.sent > 0 &&
    pace.tookMs >= 500 &&
    (pace.bytes >= 1024 ** 2 || pace.files >= 20)
  ) {
    const byFiles = effect.sent / Math.max(1, pace.files);
    const byBytes = effect.sentBytes / Math.max(1, pace.bytes);
    const [less, more] = [Math.min(byFiles, byBytes), Math.max(byFiles, byBytes)];
    const seconds = Math.max(1, Math.round((pace.tookMs * more) / 1000));
    // Nor does one that was too unlike.
    if (more <= less * 10) time = formatReadableDuration(seconds * 1000);
  }
  return [
    part(0, `afterwards ${least}${counted(files + effect.files, 'file')}${size}`),
    part(2, requests === 0 ? '' : `about ${figure(requests)} request${requests === 1 ? '' : 's'}`),
    part(1, time === undefined ? '' : `about ${time}, as the last run`),
  ];
}
