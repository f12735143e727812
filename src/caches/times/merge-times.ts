import { compareNames, sortedBytes } from '../../core/name-order.ts';
import type { NewPage, TimesTable } from '../../state/times.ts';
import type { StalePage } from './directory-times.ts';
import { contradict, type KnownTime } from './known-time.ts';
import {
  decodeRecord,
  encodeRecord,
  LONGEST_RECORD,
  RecordBytes,
  recordEnd,
  recordName,
} from './time-format.ts';

/** From this size a page gets no more records, in bytes. */
const PAGE_BYTES = 64 * 1024;

/** Records that are written in one transaction, about. */
export const MOST_TOGETHER = 4096;

/** An encoded record. */
interface Piece {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What to write about a directory. */
export interface DirectoryNews {
  readonly id: Buffer;
  /** What was learned, sorted by name. */
  readonly fresh: readonly KnownTime[];
  readonly stale: readonly StalePage[];
}

/** Writes one page of what is new, from `at` on; part of a transaction. Returns where the next one begins. */
export function writePage(
  table: TimesTable,
  { id, fresh, stale }: DirectoryNews,
  at: number,
): number {
  const page = stale[at];
  if (page === undefined) return stale.length + merge(table, id, fresh, at - stale.length);
  dropStale(table, id, page);
  return at + 1;
}

/** Merges records, from the number `at` on, into the page that they belong to. Returns the number of the next one. */
function merge(table: TimesTable, id: Buffer, fresh: readonly KnownTime[], at: number): number {
  const first = sortedBytes(fresh[at]?.name ?? '');
  // What is before the first page is merged into it.
  const page = table.pageAt(id, first) ?? table.pageAfter(id);
  const next = page && table.firstAfter(id, page.first);
  let end = at + 1;
  for (; end < fresh.length && end - at < MOST_TOGETHER; end++) {
    const name = fresh[end]?.name ?? '';
    if (next !== undefined && sortedBytes(name).compare(next) >= 0) break;
  }
  const there = page === undefined ? [] : piecesOf(page.records);
  const pieces = merged(there, piecesToAdd(fresh, at, end));
  table.replace(id, page, pagesOf(pieces, next === undefined));
  return end;
}

/** Deletes the records of a page that a listing did not confirm, if the page is as it was then. */
function dropStale(table: TimesTable, id: Buffer, { first, sum, seen }: StalePage): void {
  const page = table.pageAt(id, first);
  if (page === undefined || page.sum !== sum || !page.first.equals(first)) return;
  const kept = piecesOf(page.records).filter((_, ordinal) => seen.has(ordinal));
  table.replace(id, page, pagesOf(kept, true));
}

function piecesOf(records: Buffer): Piece[] {
  const all = new RecordBytes(records);
  const pieces: Piece[] = [];
  for (let at = 0; at < records.length; ) {
    const end = recordEnd(all, at);
    pieces.push({ name: recordName(all, at), bytes: records.subarray(at, end) });
    at = end;
  }
  return pieces;
}

function piecesToAdd(fresh: readonly KnownTime[], from: number, to: number): Piece[] {
  const space = new RecordBytes(Buffer.allocUnsafe(LONGEST_RECORD));
  const pieces: Piece[] = [];
  for (let at = from; at < to; at++) {
    const known = fresh[at] as KnownTime;
    const end = encodeRecord(known, space, 0);
    if (end === undefined) continue;
    pieces.push({ name: known.name, bytes: Buffer.from(space.bytes.subarray(0, end)) });
  }
  return pieces;
}

function merged(there: readonly Piece[], added: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  let [at, addedAt] = [0, 0];
  for (;;) {
    const [old, fresh] = [there[at], added[addedAt]];
    if (old === undefined && fresh === undefined) return all;
    const order =
      old === undefined ? 1 : fresh === undefined ? -1 : compareNames(old.name, fresh.name);
    const kept = order < 0 ? old : order > 0 ? fresh : chosen(old as Piece, fresh as Piece);
    if (kept !== undefined) all.push(kept);
    if (order <= 0) at++;
    if (order >= 0) addedAt++;
  }
}

/** The last written of two with one name if both cannot be valid; none if they contradict each other. */
function chosen(old: Piece, fresh: Piece): Piece | undefined {
  const [was, is] = [known(old), known(fresh)];
  if (contradict(was, is)) return undefined;
  return was.toMs > is.toMs ? old : fresh;
}

function known({ name, bytes }: Piece): KnownTime {
  return decodeRecord(new RecordBytes(bytes), 0, name);
}

/** Cuts records into pages: full ones if they are the last of their directory, where most are added, else equal ones. */
function pagesOf(pieces: readonly Piece[], areLast: boolean): NewPage[] {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const most = areLast ? PAGE_BYTES : Math.ceil(total / Math.ceil(total / PAGE_BYTES));
  const pages: NewPage[] = [];
  let page: Piece[] = [];
  let size = 0;
  const close = () => {
    const [first] = page;
    if (first === undefined) return;
    const records = Buffer.concat(page.map(({ bytes }) => bytes));
    pages.push({ first: sortedBytes(first.name), records });
    page = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (size >= most) close();
    page.push(piece);
    size += piece.bytes.length;
  }
  close();
  return pages;
}
