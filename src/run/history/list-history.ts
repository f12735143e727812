import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { leafName, parentPath } from '../../core/remote-path.ts';
import { findRunId, isClockSet, runTimeMs } from '../../core/run-id.ts';
import type { Environment } from '../../shell/command-line/command.ts';
import { shownWords } from '../../shell/log/shown-words.ts';
import { type KnownRun, knownRuns, type PastRun, pastRuns, type RunSum } from '../../state/runs.ts';
import type { Stores } from '../../state/stores.ts';
import { rootOf } from '../../system/fs-path.ts';
import { ownerState } from '../../system/owner-state.ts';
import { shellLine } from '../../system/shell-words.ts';
import { ago } from '../../terminal/time-texts.ts';
import { hasJournal, hasJournalEnd, LONGEST_MS, listRuns } from '../journal/kept-runs.ts';
import type { RunChange } from '../journal/read-run.ts';
import {
  changesAt,
  journalsAt,
  namesInJournal,
  type StoredPath,
  storedPath,
} from '../journal/runs-of-path.ts';

export interface HistoryEntry {
  readonly id: string;
  /** The words after the program's name, without secrets; none if they are lost. */
  readonly words: readonly string[];
  readonly beganMs: number;
  /** Its result; absent while it runs, if it was interrupted, and if it is lost. */
  readonly past?: PastRun;
  readonly isRunning: boolean;
  /** Its result is not known: the state has nothing of it, or not that it has ended. */
  readonly isLost?: true;
  /** What its journal says in numbers; absent if it made no changes, without an end, and if that is lost. */
  readonly sum?: RunSum;
  /** Its changes are kept. */
  readonly hasJournal?: true;
  /** Until when it can be undone, in milliseconds since the epoch; absent if the clock had not been set when it began. */
  readonly undoUntilMs?: number;
  readonly undoneBy?: string;
}

/** The folder of the runs and their changes. Throws `config` for a user without a home. */
export function runsFolder(env: NodeJS.ProcessEnv): string {
  const folder = stateDir(env);
  if (folder !== undefined) return join(folder, 'runs');
  throw new SyncerError('config', 'no history: this user has no home directory; set HOME');
}

/** The last runs that have ended, newest first. Rejects as `Stores.state`. */
export async function lastRuns(
  stores: Stores,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<readonly PastRun[]> {
  return stores.look([], (state) => pastRuns(state, limit));
}

/** All runs, newest first. Rejects as `Stores.state`; of a state that is gone only the journals are left. */
export async function listHistory({ env, stores }: Environment): Promise<readonly HistoryEntry[]> {
  const folder = runsFolder(env);
  const known = await stores.look([], knownRuns).catch(async (thrown) => {
    const { isLost } = await import('../../state/database.ts');
    if (!isLost(thrown)) throw thrown;
    stores.tellMissing('words and results of runs are lost', thrown);
    return [];
  });
  const ids = await listRuns(folder);
  const kept = new Set(ids);
  const inTable = new Set(known.map(({ id }) => id));
  // A run whose row is lost can still be undone.
  const lost = ids
    .filter((id) => !inTable.has(id))
    .flatMap((id) =>
      entryOf({ id, words: [], dir: '', startedMs: runTimeMs(id) }, join(folder, id)),
    )
    .map((entry): HistoryEntry => ({ ...entry, isLost: true }));
  const found = known
    .flatMap((run) => entryOf(run, kept.has(run.id) ? join(folder, run.id) : undefined))
    .concat(lost);
  // Flags that select files, and `-i`, with which some changes may have been declined.
  const ofPart =
    /^(-[a-zA-Z]*[fi]|--(include|exclude|filter|files-from|hash-filter|min-|max-(age|size|depth)|interactive))/;
  const undone = new Map<string, string>();
  for (const { id, words, past: end } of found) {
    const [verb, target, ...paths] = words.filter((word) => !word.startsWith('-'));
    if (verb !== 'undo' || target === undefined || end?.exit !== 0) continue;
    // One of a part, by its paths, a filter or answers; and one that did nothing has no journal.
    const isPart = paths.length > 0 || words.some((word) => ofPart.test(word));
    if (isPart || end.isTrial === true || !kept.has(id)) continue;
    const meant = findRunId(target, ids);
    // The newest comes first: an undo that is undone itself has undone nothing.
    if (meant !== undefined && !undone.has(id) && !undone.has(meant)) undone.set(meant, id);
  }
  return found
    .map((entry) => {
      const undoneBy = undone.get(entry.id);
      return undoneBy === undefined ? entry : { ...entry, undoneBy };
    })
    .sort((a, b) => b.beganMs - a.beganMs);
}

/** The one run that `typed` names. Throws `usage` if none or several do. */
export function findRun(typed: string, entries: readonly HistoryEntry[]): HistoryEntry {
  const ids = entries.map((each) => each.id);
  const id = findRunId(typed, ids);
  const entry = entries.find((each) => each.id === id);
  if (id !== undefined && entry !== undefined) return entry;
  const several = typed !== '' && ids.some((each) => each.endsWith(typed));
  const why = several ? `several runs end in "${typed}"` : `there is no run "${typed}"`;
  throw new SyncerError('usage', `${why}; "syncer history" lists them`);
}

/** The run of a row, with its own folder if it has one; none if it was interrupted without a change. */
function entryOf(
  { id, words, startedMs, mark, past, sum }: KnownRun,
  own: string | undefined,
): readonly HistoryEntry[] {
  if (past === undefined && own === undefined) return [];
  const isKept = own !== undefined && hasJournal(own);
  const isRunning = mark !== undefined && ownerState(mark) === 'alive';
  const isLost = past === undefined && !isRunning && hasJournalEnd(own ?? '');
  const idMs = runTimeMs(id);
  return [
    {
      id,
      // Rows may be older than what is left out of them today.
      words: shownWords(words),
      beganMs: startedMs,
      isRunning,
      ...(isLost && { isLost }),
      ...(past && { past }),
      ...(sum && { sum }),
      ...(isKept && { hasJournal: true }),
      ...(isKept && isClockSet(idMs) && { undoUntilMs: idMs + LONGEST_MS }),
    },
  ];
}

/** A run that changed a path, and its changes there. */
export interface PathRun {
  readonly entry: HistoryEntry;
  /** At least one. */
  readonly changes: readonly RunChange[];
}

/** Whether what names no run is a path: of a remote, with directories, or of something that is there. */
export const isPath = (typed: string): boolean => /[:/]/.test(typed) || existsSync(typed);

/** A path of a remote, by default the one that it was opened at. */
export function storedPathOf(remote: Remote, path = ''): StoredPath {
  const { name, storeId, traits } = remote;
  const at = rootOf(remote);
  const place = { name, ...(storeId === undefined ? {} : { storeId }) };
  if (path !== '' || at === '' || at === '/') return storedPath({ ...place, root: at }, path);
  // What is gone has no real path, but the directory that it was in may.
  const parent = traits.onDisk ? dirname(at) : parentPath(at);
  const leaf = leafName(at);
  return storedPath({ ...place, root: parent }, traits.onDisk ? namesInJournal(leaf) : leaf);
}

/**
 * The runs that changed a path, what is below it, or a directory above it as a whole, in the order of `entries`, as far
 * as their changes are kept. Rejects with `other` if the history cannot be read.
 */
export async function* pathRuns(
  { env, stores }: Environment,
  at: StoredPath,
  entries: readonly HistoryEntry[],
): AsyncGenerator<PathRun> {
  const kept = new Map(entries.flatMap((each) => (each.hasJournal ? [[each.id, each]] : [])));
  const fail = (thrown: unknown) => {
    throw thrown;
  };
  const journals = journalsAt(runsFolder(env), [...kept.keys()], [at], stores, fail);
  for await (const [id, journal] of journals) {
    const [entry, changes] = [kept.get(id), journal ? changesAt(journal, at) : []];
    if (entry !== undefined && changes.length > 0) yield { entry, changes };
  }
}

/** A run in a sentence: `20261121-113012-7k3f (syncer sync a b:), 2 d ago`. */
export function runPhrase({ id, words, beganMs }: HistoryEntry, nowMs: number): string {
  const when = isClockSet(beganMs) ? `, ${ago(nowMs - beganMs)}` : '';
  return `${id} (${shellLine(words)})${when}`;
}
