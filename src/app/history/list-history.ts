import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import type { PastRun } from '../../home/past-run.ts';
import { LONGEST_MS } from '../../journal/is-tidy.ts';
import type { RunHead } from '../../journal/journal-file.ts';
import { hasJournal, isRunning, listRuns, readHead } from '../../journal/read-head.ts';
import { findRunId, isClockSet, runTimeMs } from '../../kit/run-id.ts';
import { shownWords } from '../log/shown-words.ts';
import { historyPath } from './note-run.ts';
import { readPastRuns } from './past-runs.ts';

/** A run of the history. */
export interface HistoryEntry {
  /** Absent for runs of versions before. */
  readonly id?: string;
  /** The words after the program's name, without secrets; none if they are lost. */
  readonly words: readonly string[];
  readonly beganMs: number;
  /** Its result; absent while it runs, and if it was interrupted. */
  readonly past?: PastRun;
  readonly isRunning: boolean;
  /** Absent if it made no changes, and if it is lost. */
  readonly head?: RunHead;
  /** Its changes are kept. */
  readonly hasJournal?: true;
  /** Until when it can be undone, in milliseconds since the epoch; absent if the clock had not been set when it began. */
  readonly undoUntilMs?: number;
  /** The run that has undone it. */
  readonly undoneBy?: string;
}

/** The folder of the runs and their changes. Throws `config` for a user without a home. */
export function runsFolder(env: NodeJS.ProcessEnv): string {
  const folder = stateDir(env);
  if (folder !== undefined) return join(folder, 'runs');
  throw new SyncerError('config', 'no history: this user has no home directory; set HOME');
}

/** Flags that select files, and `-i`, with which some changes may have been declined. */
const PART =
  /^(-[a-zA-Z]*[fi]|--(include|exclude|filter|files-from|hash-filter|min-|max-(age|size|depth)|interactive))/;

/** All runs, newest first. */
export async function listHistory(env: NodeJS.ProcessEnv): Promise<readonly HistoryEntry[]> {
  const folder = runsFolder(env);
  const past = await readPastRuns(historyPath(env));
  const known = new Set(past.map(({ id }) => id));
  const ids = await listRuns(folder);
  const kept = new Set(ids);
  const entries = await Promise.all([
    ...past.map((run) => entryOf(folder, run.id, run.id !== undefined && kept.has(run.id), run)),
    ...ids.filter((id) => !known.has(id)).map((id) => entryOf(folder, id, true)),
  ]);
  const found = entries.filter((entry) => entry !== undefined);
  const undone = new Map<string, string>();
  for (const { id, words, past: end } of found) {
    const [verb, target, ...paths] = words.filter((word) => !word.startsWith('-'));
    if (verb !== 'undo' || target === undefined || id === undefined || end?.exit !== 0) continue;
    // One of a part, by its paths, a filter or answers; and one that did nothing has no journal.
    const isPart = paths.length > 0 || words.some((word) => PART.test(word));
    if (isPart || end.isTrial === true || !kept.has(id)) continue;
    const meant = findRunId(target, ids);
    if (meant !== undefined) undone.set(meant, id);
  }
  return found
    .map((entry) => {
      const undoneBy = entry.id === undefined ? undefined : undone.get(entry.id);
      return undoneBy === undefined ? entry : { ...entry, undoneBy };
    })
    .sort((a, b) => b.beganMs - a.beganMs);
}

/** The one run that `typed` names. Throws `usage` if none or several do. */
export function findRun(typed: string, entries: readonly HistoryEntry[]): HistoryEntry {
  const ids = entries.flatMap(({ id }) => id ?? []);
  const id = findRunId(typed, ids);
  const entry = entries.find((each) => each.id === id);
  if (id !== undefined && entry !== undefined) return entry;
  const several = typed !== '' && ids.some((each) => each.endsWith(typed));
  const why = several ? `several runs end in "${typed}"` : `there is no run "${typed}"`;
  throw new SyncerError('usage', `${why}; "syncer history" lists them`);
}

async function entryOf(
  folder: string,
  id: string | undefined,
  hasFolder: boolean,
  past?: PastRun,
): Promise<HistoryEntry | undefined> {
  const own = id === undefined ? undefined : join(folder, id);
  const head = hasFolder && own !== undefined ? await readHead(own) : undefined;
  const isKept = own !== undefined && hasFolder && hasJournal(own);
  // An interrupted run whose head is lost can still be undone.
  const words = past?.words ?? head?.words ?? (isKept ? [] : undefined);
  if (words === undefined) return undefined;
  const runs = past === undefined && own !== undefined && (await isRunning(own));
  const idMs = id === undefined ? 0 : runTimeMs(id);
  const beganMs = head?.beganMs ?? (past === undefined ? idMs : past.endedMs - past.tookMs);
  return {
    ...(id === undefined ? {} : { id }),
    // Lines may be older than what is left out of them today.
    words: shownWords(words),
    beganMs,
    isRunning: runs,
    ...(past && { past }),
    ...(head && { head }),
    ...(isKept && { hasJournal: true }),
    ...(isKept && isClockSet(idMs) && { undoUntilMs: idMs + LONGEST_MS }),
  };
}
