import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerState } from '../kit/owner-state.ts';
import { isRunId } from '../kit/run-id.ts';
import { HEAD_NAME, type RunHead } from './journal-file.ts';

/** The names of a journal, as it is written and compressed. */
export const JOURNAL_NAMES = ['journal.jsonl', 'journal.jsonl.zst'] as const;

/** The ids of the runs in a folder, newest first; empty if there are none. */
export async function listRuns(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(isRunId).sort().reverse();
}

/** The head of the run in a folder; `undefined` if it cannot be read. */
export async function readHead(folder: string): Promise<RunHead | undefined> {
  try {
    const head = JSON.parse(await readFile(join(folder, HEAD_NAME), 'utf8')) as Partial<RunHead>;
    const isHead =
      typeof head.id === 'string' && typeof head.beganMs === 'number' && Array.isArray(head.words);
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
