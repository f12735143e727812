import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { readRegularFile } from '../files/read-whole.ts';
import { goErrno } from '../go/go-errno.ts';
import { ownerState } from '../kit/owner-state.ts';
import { isRunId } from '../kit/run-id.ts';
import { HEAD_NAME, type RunHead } from './journal-file.ts';

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

/** The head of the run in a folder; `undefined` if it cannot be read or is that of another run. */
export async function readHead(folder: string): Promise<RunHead | undefined> {
  try {
    const head = JSON.parse(
      String(await readRegularFile(join(folder, HEAD_NAME))),
    ) as Partial<RunHead>;
    const isHead =
      head.id === basename(folder) && typeof head.beganMs === 'number' && Array.isArray(head.words);
    return isHead ? (head as RunHead) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the journal of the run in a folder is still kept. */
export function hasJournal(folder: string): boolean {
  return JOURNAL_NAMES.some((name) => existsSync(join(folder, name)));
}

/** Whether the run in a folder still runs on this machine. */
export async function isRunning(folder: string): Promise<boolean> {
  const head = await readHead(folder);
  return head !== undefined && head.sum === undefined && ownerState(head.mark) === 'alive';
}
