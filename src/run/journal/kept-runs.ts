import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { hasBegunBefore, isRunId, provenTimeMs } from '../../core/run-id.ts';
import { goErrno } from '../../go/go-texts.ts';

/** The names of a journal, as it is written and compressed. */
export const JOURNAL_NAMES = ['journal.jsonl', 'journal.jsonl.zst'] as const;

/** The error of a file or directory of the history that cannot be read, with its path. */
export function unreadableHistory(path: string, thrown: unknown): SyncerError {
  const text = `cannot read the history of runs in ${path}: ${goErrno(thrown)}`;
  return new SyncerError('other', text, { path, cause: thrown });
}

/**
 * The ids of the runs in a folder, newest first; empty if there is no such folder. Rejects with `other` and its path if
 * it cannot be read.
 */
export async function listRuns(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter(isRunId).sort().reverse();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadableHistory(folder, thrown);
  }
}

/** Whether the journal of the run in a folder is still kept, and has something: on a full disk it is empty. */
export function hasJournal(folder: string): boolean {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size;
  return JOURNAL_NAMES.some((name) => (sizeOf(name) ?? 0) > 0);
}

const END = '"end":true}\n';

/** Whether the journal of the run in a folder has an end: the run was not interrupted. `false` for a compressed one. */
export function hasJournalEnd(folder: string): boolean {
  try {
    const file = openSync(join(folder, JOURNAL_NAMES[0]), 'r');
    try {
      const tail = Buffer.alloc(END.length);
      readSync(file, tail, 0, tail.length, fstatSync(file).size - tail.length);
      return tail.equals(Buffer.from(END));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** How many runs are kept. */
export const MOST_RUNS = 200;

/** Runs beyond that before the oldest are deleted: not at the end of each run. */
const MOST_EXTRA = 50;

/** How long runs are kept, in milliseconds. */
export const LONGEST_MS = 90 * 24 * 3_600_000;

/** From this size a journal is compressed, in bytes: 50,000 changes. A smaller one is not worth the time. */
export const LARGE_JOURNAL = 4 * 1024 ** 2;

/**
 * Whether there is nothing for `tidyRuns` to do after a run whose journal has `bytes`: only large journals can be too
 * much together.
 *
 * @param runs the folder of all runs
 */
export function isTidy(runs: string, bytes: number, nowMs: number): boolean {
  if (bytes >= LARGE_JOURNAL) return false;
  try {
    const ids = readdirSync(runs).filter(isRunId).sort();
    const isFull = ids.length > MOST_RUNS + MOST_EXTRA;
    const provenMs = provenTimeMs(ids, nowMs);
    return !isFull && !ids.some((id) => isTooOld(id, provenMs));
  } catch {
    return true;
  }
}

/**
 * Whether a run began so long ago that it is not kept.
 *
 * @param provenMs see `provenTimeMs`
 */
export function isTooOld(id: string, provenMs: number): boolean {
  return hasBegunBefore(id, provenMs - LONGEST_MS);
}
