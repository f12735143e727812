import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type SyncerError, toSyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import { joinPath, pathBelow, wholePath } from '../../core/remote-path.ts';
import type { FileMark, KeptFile, PlaceLine } from '../../journal/journal-line.ts';
import { listRuns, readHead } from '../../journal/read-head.ts';
import { type RunChange, readChanges } from '../../journal/read-run.ts';
import { runTimeMs } from '../../kit/run-id.ts';
import type { TrashedDir } from './trashed-file.ts';

/** A file that a run deleted or replaced and that was kept then. */
export interface NotedFile {
  readonly runId: string;
  readonly place: number;
  readonly path: string;
  readonly old: FileMark;
  readonly kept: KeptFile;
  readonly why: 'deleted' | 'replaced';
}

/** What the journals say about files that were kept. */
export interface JournalNotes {
  /** Their places; the first is the remote of the command. */
  readonly lines: PlaceLine[];
  /** In trashes, by `trashKey`; `elsewhere`: the file of another remote. */
  readonly inTrash: ReadonlyMap<string, NotedFile | 'elsewhere'>;
  /** Kept by the server itself. */
  readonly atServer: readonly NotedFile[];
  /** Trashes of these places. */
  readonly dirs: readonly TrashedDir[];
  /** Runs whose journal was read, and when each began, in milliseconds since the epoch. */
  readonly runs: ReadonlyMap<string, number>;
  /** Journals that could not be read. */
  readonly failures: readonly SyncerError[];
}

/** Identifies a file or directory of a trash, by whatever name its place has. */
export function trashKey(line: PlaceLine, path: string): string {
  const { name, root, storeId } = line.trash ?? line;
  const store = isOnDisk({ root }) ? '' : (storeId ?? name);
  return `${store}\n${wholePath(root, path)}`;
}

/** A place of a journal without symbolic links in its roots, and with the store of its trash. */
function resolved(line: PlaceLine): PlaceLine {
  const { name, storeId, trash } = line;
  const ofPlace = trash?.name === name && storeId !== undefined ? { storeId } : {};
  const trashed = trash && { trash: { ...ofPlace, ...trash, root: realRoot(trash) } };
  return { ...line, root: realRoot(line), ...trashed };
}

/** Whether one of two places contains the other. */
function isRelated(own: PlaceLine, line: PlaceLine): boolean {
  const isWithin = pathBelow(own.root, line.root) ?? pathBelow(line.root, own.root);
  return isWithin !== undefined && isOneStore(own, line);
}

function isOneStore(own: PlaceLine, { name, storeId, root }: PlaceLine): boolean {
  if (storeId !== undefined && storeId === own.storeId) return true;
  if (isOnDisk({ root }) && isOnDisk(own)) return true;
  if (name !== own.name) return false;
  // A place above or below may have been noted with other options, which give its store another ID.
  return storeId === undefined || own.storeId === undefined || root !== own.root;
}

/** A related place under the name that the user gave. */
function asOwn(own: PlaceLine, line: PlaceLine): PlaceLine {
  const { name, trash, storeId = own.storeId } = line;
  const renamed = trash?.name === name ? { trash: { ...trash, name: own.name } } : {};
  return { ...line, name: own.name, ...(storeId === undefined ? {} : { storeId }), ...renamed };
}

function isOnDisk({ root }: Pick<PlaceLine, 'root'>): boolean {
  return root.startsWith('/');
}

/** The root without symbolic links, as far as it exists. */
export function realRoot({ root }: Pick<PlaceLine, 'root'>): string {
  if (!isOnDisk({ root })) return root;
  try {
    return realpathSync.native(root);
  } catch {
    return root;
  }
}

/**
 * Reads the journals of runs, newest first, for what they kept at the place `own`, below it or above it.
 *
 * @param folder of all runs; `undefined`: there is no history
 */
export async function readNotes(own: PlaceLine, folder: string | undefined): Promise<JournalNotes> {
  const lines = [own];
  const inTrash = new Map<string, NotedFile | 'elsewhere'>();
  const atServer: NotedFile[] = [];
  const dirs = new Map<string, TrashedDir>();
  const runs = new Map<string, number>();
  const failures: SyncerError[] = [];
  const fail = (thrown: unknown) => {
    failures.push(toSyncerError(thrown));
    return undefined;
  };
  const runIds = folder === undefined ? [] : await listRuns(folder).catch(fail);
  for (const runId of runIds ?? []) {
    const runDir = join(folder ?? '', runId);
    const journal = await readChanges(runDir).catch(fail);
    if (journal === undefined) continue;
    runs.set(runId, (await readHead(runDir))?.beganMs ?? runTimeMs(runId));
    const numbers = new Map<number, number>();
    for (const change of journal.changes) {
      const found = keptBy(change);
      const noted = journal.places[change.place];
      if (found === undefined || noted === undefined) continue;
      const there = resolved(noted);
      const isHere = isRelated(own, there);
      const line = isHere ? asOwn(own, there) : there;
      const key = found.kept.in === 'trash' ? trashKey(line, found.kept.path) : undefined;
      if (!isHere) {
        if (key !== undefined) inTrash.set(key, 'elsewhere');
        continue;
      }
      const place = numbers.get(change.place) ?? lines.length;
      if (place === lines.length) lines.push({ ...line, place });
      numbers.set(change.place, place);
      const file = { ...found, runId, place };
      if (found.kept.in !== 'trash' || key === undefined) {
        atServer.push(file);
        continue;
      }
      inTrash.set(key, file);
      const dir = runDirOf(found.kept.path, runId);
      const bucket = dir.lastIndexOf(`/${OWN_NAMES.trash}/`);
      const base = dir.slice(0, Math.max(0, bucket));
      dirs.set(trashKey(line, dir), { runId, place, dir, base });
    }
  }
  return { lines, inTrash, atServer, dirs: [...dirs.values()], runs, failures };
}

/** `undefined` for a change that was not made or kept nothing that the trash shows. */
function keptBy(change: RunChange): Omit<NotedFile, 'runId' | 'place'> | undefined {
  const { do: deed, path: inRun, was: path = inRun, old, done } = change;
  // Without a response a server with versions may keep it too: under a marker that no journal has.
  const isOpen = deed === 'delete' && done?.ok !== true;
  const kept = done?.kept ?? change.kept ?? (isOpen ? { in: 'versions' as const } : undefined);
  if (kept === undefined || kept.in === 'place' || old === undefined || old === 'unknown') {
    return undefined;
  }
  const why = deed === 'delete' ? 'deleted' : 'replaced';
  // Each replaced file of a server with versions has old ones: `versions ls` lists them.
  if (kept.in !== 'trash' && why === 'replaced') return undefined;
  if (kept.in === 'bin' && done?.ok === false) return undefined;
  return { path, old, kept, why };
}

function runDirOf(path: string, runId: string): string {
  const segments = path.split('/');
  return segments.slice(0, segments.indexOf(runId) + 1).reduce(joinPath, '');
}
