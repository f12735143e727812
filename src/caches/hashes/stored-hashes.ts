import type { Hashes } from '../../core/hash-names.ts';
import type { HashRow } from '../../state/hashes.ts';
import type { HashRecord } from './hash-record.ts';

const UNREAD = 1;
const ACCEPTED = 2;
const DOUBTED = 4;

/** What a row has of a record, as JSON. Times are text: they have more digits than numbers. */
type Stored = readonly [
  size: number,
  modTime: string,
  changedAt: string,
  tag: string,
  hashes: Hashes,
  flags: number,
];

/** The row of a record. */
export function rowOf(record: HashRecord): HashRow {
  const { size, modTime, changedAt, tag, runId, hashes, readMs } = record;
  const flags =
    (record.isUnread ? UNREAD : 0) |
    (record.isAccepted ? ACCEPTED : 0) |
    (record.isDoubted ? DOUBTED : 0);
  const stored: Stored = [size, String(modTime), String(changedAt), tag, hashes, flags];
  return { readMs, runId, record: JSON.stringify(stored) };
}

/** Whether a row is one reading with hashes and nothing else: a later one with the same record replaces it. */
export function isPlain({ record }: HashRow): boolean {
  return record.endsWith('"},0]');
}

/** The record of a row. */
export function recordOfRow(name: string, { readMs, runId, record }: HashRow): HashRecord {
  const [size, modTime, changedAt, tag, hashes, flags] = JSON.parse(record) as Stored;
  const version = { size, modTime: BigInt(modTime), changedAt: BigInt(changedAt), tag };
  const plain = { ...version, name, hashes, readMs, runId };
  if (flags === 0) return plain;
  return {
    ...plain,
    ...((flags & UNREAD) === 0 ? {} : { isUnread: true }),
    ...((flags & ACCEPTED) === 0 ? {} : { isAccepted: true }),
    ...((flags & DOUBTED) === 0 ? {} : { isDoubted: true }),
  };
}
