import type { JournalRecord } from './journal-record.ts';

/** What is to be done with the files that an earlier run left. */
export interface Recovery {
  /** They were closed and not uploaded. */
  readonly pending: readonly JournalRecord[];
  /** They can be read instead of what is on the remote, as long as that is the same. */
  readonly clean: readonly JournalRecord[];
  /** They were never closed, or a power cut may have left them half written. */
  readonly doubtful: readonly JournalRecord[];
  /** Of no use any more. */
  readonly useless: readonly JournalRecord[];
}

/**
 * Decides about every record. What the same run of the machine wrote is there, whether or not it has reached the disk;
 * after another one only what the journal holds itself or calls safe is believed. Of two for one path the newer one counts.
 */
export function decideRecovery(records: Iterable<JournalRecord>, boot: string): Recovery {
  const byPath = new Map<string, JournalRecord>();
  const doubtful: JournalRecord[] = [];
  const useless: JournalRecord[] = [];
  for (const record of [...records].sort((a, b) => a.number - b.number)) {
    const isThere =
      record.safe === true || record.content !== undefined || (record.boot === boot && boot !== '');
    if (record.state === 'open' || (record.state === 'pending' && !isThere)) doubtful.push(record);
    else if (!isThere) useless.push(record);
    else {
      const older = byPath.get(record.path);
      if (older !== undefined) useless.push(older);
      byPath.set(record.path, record);
    }
  }
  const counted = [...byPath.values()];
  return {
    pending: counted.filter(({ state }) => state === 'pending'),
    clean: counted.filter(({ state }) => state === 'clean'),
    doubtful,
    useless,
  };
}
