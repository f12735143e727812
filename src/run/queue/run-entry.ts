import { damagedEntry, queueEntry } from './queue-entry.ts';
import { RUNS_KEY } from './run-keys.ts';
import type { RunSpec } from './run-spec.ts';
import type { Signed } from './signed.ts';

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
