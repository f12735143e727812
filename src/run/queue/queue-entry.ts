import { SyncerError } from '../../core/errors.ts';
import { RUNS_KEY } from './run-keys.ts';
import type { RunSpec } from './run-spec.ts';
import type { Signed } from './signed.ts';

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

/** What a run is to do, from the text in the queue. Throws `other` for what is no run: syncer has not written it. */
export function runEntry(text: string): Signed<RunSpec> {
  const entry = queueEntry<Partial<Signed<Partial<RunSpec>>>>(text, RUNS_KEY);
  const { id, verb, source, dest, words, limits, places } = entry.value ?? {};
  const isRun =
    [id, verb, source, dest].every((part) => typeof part === 'string') &&
    Array.isArray(words) &&
    words.every((word) => typeof word === 'string') &&
    [limits, places?.source, places?.dest].every((part) => typeof part === 'object' && part);
  if (!isRun) throw damagedEntry(RUNS_KEY);
  return entry as Signed<RunSpec>;
}
