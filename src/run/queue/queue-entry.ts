import { SyncerError } from '../../core/errors.ts';

/** An entry of the queue as data. Throws `other` for one that is no object: syncer has not written it. */
export function queueEntry<T extends object>(text: string, key: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damagedEntry(key);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  throw damagedEntry(key);
}

/** The error for an entry that syncer has not written. */
export function damagedEntry(key: string): SyncerError {
  return new SyncerError('other', `the queue has a damaged entry in ${key}`, {
    advice: 'end the run with: syncer stop RUN --queue URL; then run the same command again',
  });
}
