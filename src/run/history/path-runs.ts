import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Remote } from '../../core/remote.ts';
import { leafName, parentPath } from '../../core/remote-path.ts';
import { isClockSet } from '../../core/run-id.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { rootOf } from '../../system/real-path.ts';
import { shellLine } from '../../system/shell-words.ts';
import { ago } from '../../terminal/time-texts.ts';
import type { RunChange } from '../journal/read-run.ts';
import {
  changesAt,
  journalsAt,
  namesInJournal,
  type StoredPath,
  storedPath,
} from '../journal/runs-of-path.ts';
import { type HistoryEntry, runsFolder } from './list-history.ts';

/** A run that changed a path, and its changes there. */
export interface PathRun {
  readonly entry: HistoryEntry;
  /** At least one. */
  readonly changes: readonly RunChange[];
}

/** Whether what names no run is a path: of a remote, with directories, or of something that is there. */
export function isPath(typed: string): boolean {
  return /[:/]/.test(typed) || existsSync(typed);
}

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
  { env, stores }: Pick<Invocation, 'env' | 'stores'>,
  at: StoredPath,
  entries: readonly HistoryEntry[],
): AsyncGenerator<PathRun> {
  const kept = new Map(entries.flatMap((each) => (each.hasJournal ? [[each.id, each]] : [])));
  const fail = (thrown: unknown) => {
    throw thrown;
  };
  for await (const [id, journal] of journalsAt(
    runsFolder(env),
    [...kept.keys()],
    [at],
    stores,
    fail,
  )) {
    const [entry, changes] = [kept.get(id), journal ? changesAt(journal, at) : []];
    if (entry !== undefined && changes.length > 0) yield { entry, changes };
  }
}

/** A run in a sentence: `20261121-113012-7k3f (syncer sync a b:), 2 d ago`. */
export function runPhrase({ id, words, beganMs }: HistoryEntry, nowMs: number): string {
  const when = isClockSet(beganMs) ? `, ${ago(nowMs - beganMs)}` : '';
  return `${id} (${shellLine(words)})${when}`;
}
