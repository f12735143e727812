import { join } from 'node:path';
import { stateDir } from '../../src/config/config-path.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { mapAtOnce } from '../../src/core/map-at-once.ts';
import { compareNames } from '../../src/core/name-order.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { Entry, FailedEntry, FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { listDir, readPages } from '../../src/core/remote-calls.ts';
import { cleanPath, isWithin, joinPath, pathBelow, wholePath } from '../../src/core/remote-path.ts';
import { findRunId, hasBegunBefore, runTimeMs } from '../../src/core/run-id.ts';
import { counted } from '../../src/core/shown-text.ts';
import { markOf } from '../../src/run/journal/journal-file.ts';
import {
  type FileMark,
  type KeptFile,
  type PlaceLine,
  readMark,
} from '../../src/run/journal/journal-line.ts';
import { listRuns } from '../../src/run/journal/kept-runs.ts';
import { knownOld, type RunChange } from '../../src/run/journal/read-run.ts';
import {
  isOnDisk,
  journalsAt,
  realRoot,
  storedPath,
  trashOf,
} from '../../src/run/journal/runs-of-path.ts';
import { trashedRuns } from '../../src/run/journal/trash.ts';
import type { CommandCall, Environment, Remotes } from '../../src/shell/command-line/command.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { goesOn } from '../../src/state/runs.ts';
import type { Stores } from '../../src/state/stores.ts';
import { rootOf } from '../../src/system/fs-path.ts';
import { PlacesNow } from '../undo/use.ts';
import type { TRASH_FLAGS } from './command.ts';

/** Directories listed, and files of a recycle bin looked up, in parallel. */
const AT_ONCE = 8;

type TrashContents = Awaited<ReturnType<typeof readTrash>>;

/**
 * Reads the trash of a remote: its `.syncer-trash` or `--trash-dir`, those of places below or above it that the history
 * knows, and the deleted files that its server keeps, as far as the history has their runs.
 */
async function readTrash(
  invocation: CommandCall<typeof TRASH_FLAGS> & Environment & Remotes,
  remote: Remote,
) {
  const { flags, env, stores, remotes, context, args } = invocation;
  const op: Op = { signal: context.signal };
  const into = flags['trash-at'] ? await remotes.openDir(flags['trash-at']) : undefined;
  const state = stateDir(env);
  const own = { ...lineOf(remote), ...(into && { trash: lineOf(into) }) };
  const { lines, inTrash, atServer, runs, ...notes } = await readNotes(
    own,
    state && join(state, 'runs'),
    stores,
  );
  const lineAt = (place: number) => lines[place] as PlaceLine;
  const places = new PlacesNow(remotes, lines, { remote, spec: args[1] ?? '' });
  const files: TrashedFile[] = [];
  /** Runs that the history does not have: their files are listed as they are in the trash. */
  const unknown = new Set<string>();
  /** Trashes that could not be listed, and journals that could not be read. */
  const failures = [...notes.failures];
  const attempt = async (task: () => Promise<void>) => {
    try {
      await task();
    } catch (thrown) {
      op.signal.throwIfAborted();
      failures.push(toSyncerError(thrown));
    }
  };
  const add = (file: Omit<NotedFile, 'why'> & Partial<NotedFile>, stored?: FileEntry) => {
    const shown = pathBelow(own.root, wholePath(lineAt(file.place).root, file.path));
    if (shown !== undefined) files.push({ ...file, shown, ...(stored && { stored }) });
  };
  const dirs = new Map<string, TrashedDir>();
  const note = (found: readonly TrashedDir[]) => {
    for (const each of found) dirs.set(trashKey(lineAt(each.place), each.dir), each);
  };
  await attempt(async () => note(await ownDirs(await places.trashOf(0), remote, into, op)));
  note(notes.dirs);
  for (const { place, dir, runId, base } of dirs.values()) {
    await attempt(async () => {
      const below = await allBelow(await places.trashOf(place), dir, op);
      for (const file of below.files) {
        const noted = inTrash.get(trashKey(lineAt(place), file.path));
        if (noted === 'elsewhere') continue;
        if (noted === undefined && !runs.has(runId)) unknown.add(runId);
        const path = joinPath(base, file.path.slice(dir.length + 1));
        const kept = { in: 'trash', path: file.path } as const;
        add(noted ?? { runId, place, path, old: readMark(markOf(file)), kept }, file);
      }
    });
  }
  for (const place of lines.keys()) {
    const there = atServer.filter((file) => file.place === place);
    if (there.length === 0) continue;
    await attempt(async () => {
      const kept = await places.remote(place);
      await mapAtOnce(there, AT_ONCE, async (file) => {
        const { kept: at } = file;
        if (at.in !== 'bin') return;
        if ((await kept.can.restoring?.isInBin?.(at.id, op)) === true) add(file);
      });
      const versions = there.filter((file) => file.kept.in === 'versions');
      for (const [file, version] of await keptVersions(kept, versions, op)) add(file, version);
    });
  }
  // The newest run first, each by path. An id has the second in which its run began.
  const began = (id: string) => runs.get(id) ?? runTimeMs(id);
  files.sort(
    (a, b) =>
      began(b.runId) - began(a.runId) ||
      compareNames(b.runId, a.runId) ||
      compareNames(a.shown, b.shown),
  );
  return { files, dirs: [...dirs.values()], places, unknown, failures };
}

/** The runs in the trash of the remote itself. In an account of buckets each has a trash of its own. */
async function ownDirs(
  trash: Remote,
  { traits, root }: Remote,
  into: Remote | undefined,
  op: Op,
): Promise<readonly TrashedDir[]> {
  const runsIn = async (dir: string, base: string) => {
    try {
      const runs = await trashedRuns(trash, dir, op);
      return runs.map((run) => ({ runId: run.id, place: 0, dir: run.dir, base }));
    } catch (thrown) {
      if (hasCode(thrown, 'not-a-directory')) return [];
      throw thrown;
    }
  };
  if (into !== undefined) return runsIn('', '');
  if (!traits.bucketBased || root !== '') return runsIn(OWN_NAMES.trash, '');
  const found: TrashedDir[] = [];
  const { entries } = await trash.listPage('', undefined, op);
  for (const { path } of entries) {
    for (const dir of await runsIn(joinPath(path, OWN_NAMES.trash), path)) found.push(dir);
  }
  return found;
}

function lineOf(remote: Remote): PlaceLine {
  const { name, title, storeId } = remote;
  const root = rootOf(remote);
  const line = { place: 0, name, root, title, ...(storeId === undefined ? {} : { storeId }) };
  return { ...line, root: realRoot(line) };
}

/** What a command chose of a trash. */
export type ChosenTrash = Awaited<ReturnType<typeof chooseTrash>>;

/**
 * What the arguments and flags of `syncer trash` choose of the trash of a remote: paths, `--run`, `--older-than` and
 * filters. Logs what could not be listed. Throws `usage` for a run that is not in it.
 */
export async function chooseTrash(
  invocation: CommandCall<typeof TRASH_FLAGS> & Environment & Remotes,
  remote: Remote,
) {
  const { args, flags, context, beganMs, stores } = invocation;
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    const why = 'listings of the trash have no metadata';
    throw cannotUse('filters for metadata', 'syncer trash', why);
  }
  const found = await readTrash(invocation, remote);
  const run = runOf(flags['trash-run'], found);
  const paths = args.slice(2).map(cleanPath);
  const age = flags['trash-older-than'];
  const beforeMs = beganMs - (age ?? 0);
  // Also an age that is unknown is more than nothing.
  const isOlder = age === 0 ? (id: string) => runTimeMs(id) < beforeMs : hasBegunBefore;
  const ids = args[0] === 'ls' ? [] : found.dirs.map(({ runId }) => runId);
  const running = await stores.look(
    new Set(),
    (state) => new Set([...new Set(ids)].filter((id) => goesOn(state, id))),
  );
  const isChosen = ({ runId }: Pick<TrashedDir, 'runId'>) =>
    !running.has(runId) &&
    (run === undefined || run === runId) &&
    (age === undefined || isOlder(runId, beforeMs));
  const { maxDepth } = filter;
  const files = found.files.filter((file) => {
    const { shown, old, stored } = file;
    const isNamed = paths.length === 0 || paths.some((path) => isWithin(path, shown));
    if (!isChosen(file) || !isNamed) return false;
    if (maxDepth >= 0 && shown.split('/').length > maxDepth) return false;
    const { modTime } = stored ?? {};
    return filter.keepFile({ path: shown, size: old.size, ...(modTime && { modTime }) });
  });
  for (const error of found.failures) {
    context.emit(logText('error', `Cannot read all of the trash: ${error.message}`));
  }
  for (const runId of running) {
    context.emit(logText('notice', `The run ${runId} is not finished: its trash is left alone`));
  }
  const unknown = new Set(files.map((file) => file.runId).filter((id) => found.unknown.has(id)));
  if (unknown.size > 0) {
    const [are, their] = unknown.size === 1 ? ['is', 'its'] : ['are', 'their'];
    const text = `${counted(unknown.size, 'run')} ${are} not in the history of this user: ${their} files are listed as they are in the trash`;
    context.emit(logText('notice', text));
  }
  /** Whole runs are chosen, by no path and no filter. */
  const isWhole = paths.length === 0 && !filter.hasRules && maxDepth < 0;
  return { ...found, files, dirs: found.dirs.filter(isChosen), isWhole };
}

/** Throws the error of a trash that could not be listed, when all else is done. */
export function refusePart({ failures }: TrashContents): void {
  const [first] = failures;
  if (first !== undefined) throw first;
}

/** The error of a command for which nothing is in the trash. */
export function nothingChosen({ failures: [failure] }: TrashContents): SyncerError {
  const advice = '"syncer trash ls" lists what is in it';
  return failure ?? new SyncerError('file-not-found', 'nothing in the trash is chosen', { advice });
}

function runOf(typed: string | undefined, { files, dirs }: TrashContents): string | undefined {
  if (typed === undefined) return undefined;
  const ids = [...new Set([...files, ...dirs].map(({ runId }) => runId))];
  const run = findRunId(typed, ids);
  if (run !== undefined) return run;
  const several = ids.some((id) => typed !== '' && id.endsWith(typed));
  const text = several
    ? `several runs in the trash end in "${typed}"`
    : `no run "${typed}" in this trash`;
  throw new SyncerError('usage', text, { advice: '"syncer trash ls" lists them' });
}

/** Identifies a file or directory of a trash, by whatever name its place has. */
function trashKey(line: PlaceLine, path: string): string {
  const { stores, path: whole } = storedPath(line.trash ?? line, path);
  return `${stores[0]}\n${whole}`;
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

/**
 * All files and directories below a directory, parents first, with the directory itself; only on remotes with real
 * directories. No files if it does not exist. Rejects if a part of it cannot be listed.
 */
export async function allBelow(
  remote: Remote,
  dir: string,
  op: Op,
): Promise<{ readonly files: readonly FileEntry[]; readonly dirs: readonly string[] }> {
  const { listTreePage } = remote.can;
  const files: FileEntry[] = [];
  const dirs = [dir];
  const take = (page: readonly Entry[]) => {
    for (const entry of page) entry.kind === 'file' ? files.push(entry) : dirs.push(entry.path);
  };
  const refuse = ({ error }: FailedEntry) => {
    throw error;
  };
  try {
    if (listTreePage !== undefined) {
      const read = (cursor: string | undefined) => listTreePage(dir, cursor, op);
      for await (const page of readPages(read, refuse)) take(page);
      return { files, dirs: [dir] };
    }
    let next = 0;
    const work = async () => {
      while (next < dirs.length) {
        for await (const page of listDir(remote, dirs[next++] ?? '', op, refuse)) take(page);
      }
    };
    while (next < dirs.length) await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (thrown) {
    if (!hasCode(thrown, 'directory-not-found', 'bucket-not-found')) throw thrown;
  }
  return { files, dirs };
}

/** Reads the journals of runs in `folder`, if there is one, for what they kept at the place `own`, below or above it. */
async function readNotes(own: PlaceLine, folder: string | undefined, stores: Stores) {
  /** The places of kept files; the first is the remote of the command. */
  const lines = [own];
  /** By `trashKey`; `elsewhere`: the file of another remote. */
  const inTrash = new Map<string, NotedFile | 'elsewhere'>();
  const atServer: NotedFile[] = [];
  const dirs = new Map<string, TrashedDir>();
  /** Runs whose journal was read, and when each began, in milliseconds since the epoch. */
  const runs = new Map<string, number>();
  const failures: SyncerError[] = [];
  const fail = (thrown: unknown) => {
    failures.push(toSyncerError(thrown));
    return undefined;
  };
  const beginnings = stores.look(undefined, (database) => {
    const rows = database.all('SELECT id, began_ms FROM runs');
    return new Map(rows.map((row) => [String(row['id']), Number(row['began_ms'])]));
  });
  const began = await beginnings.catch(() => undefined);
  const paths = [storedPath(own, ''), storedPath(trashOf(own), '')];
  const ids = folder === undefined ? undefined : await listRuns(folder).catch(fail);
  const journals = journalsAt(folder ?? '', ids ?? [], paths, stores, fail);
  for await (const [runId, journal] of journals) {
    if (journal === undefined) continue;
    runs.set(runId, began?.get(runId) ?? runTimeMs(runId));
    const numbers = new Map<number, number>();
    for (const change of journal.changes) {
      const found = keptBy(change);
      const noted = journal.places[change.place];
      if (found === undefined || noted === undefined) continue;
      // Without symbolic links in its roots, and with the store of its trash.
      const trash = noted.trash && { ...trashOf(noted), root: realRoot(noted.trash) };
      const there = { ...noted, root: realRoot(noted), ...(trash && { trash }) };
      const contains = pathBelow(own.root, there.root) ?? pathBelow(there.root, own.root);
      const isHere = contains !== undefined && isOneStore(own, there);
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
      const segments = found.kept.path.split('/');
      const dir = segments.slice(0, segments.indexOf(runId) + 1).join('/');
      const bucket = dir.lastIndexOf(`/${OWN_NAMES.trash}/`);
      const base = dir.slice(0, Math.max(0, bucket));
      dirs.set(trashKey(line, dir), { runId, place, dir, base });
    }
  }
  return { lines, inTrash, atServer, dirs: [...dirs.values()], runs, failures };
}

/** `undefined` for a change that was not made or kept nothing that the trash shows. */
function keptBy(change: RunChange): Omit<NotedFile, 'runId' | 'place'> | undefined {
  const { do: deed, path: inRun, was: path = inRun, done } = change;
  const old = knownOld(change);
  // Without a response a server with versions may keep it too: under a marker that no journal has.
  const isOpen = deed === 'delete' && done?.ok !== true;
  const kept = change.kept ?? (isOpen ? { in: 'versions' as const } : undefined);
  if (kept === undefined || kept.in === 'place' || old === undefined) return undefined;
  const why = deed === 'delete' ? 'deleted' : 'replaced';
  // Each replaced file of a server with versions has old ones: `versions ls` lists them.
  if (kept.in !== 'trash' && why === 'replaced') return undefined;
  if (kept.in === 'bin' && done?.ok === false) return undefined;
  return { path, old, kept, why };
}

/** Deleted files with the version below their delete marker, without those that are gone. */
async function keptVersions(
  remote: Remote,
  noted: readonly NotedFile[],
  op: Op,
): Promise<ReadonlyMap<NotedFile, FileEntry>> {
  const found = new Map<NotedFile, FileEntry>();
  const { listVersions } = remote.can;
  if (listVersions === undefined) return found;
  const byMarker = new Map(
    noted.map((file) => {
      const { path, kept } = file;
      return [markerKey(path, kept.in === 'versions' ? kept.id : undefined), file];
    }),
  );
  const paths = [...new Set(noted.map(({ path }) => path))];
  // Of many paths, the versions of the whole remote are listed.
  for (const root of paths.length > 20 ? [''] : paths) {
    // A deletion that was repeated has left several.
    let markers: FileEntry[] = [];
    for await (const page of listVersions(root, op)) {
      for (const version of page) {
        if (markers[0]?.path !== version.path) markers = [];
        if (version.kept?.kind.endsWith('marker') === true) {
          markers.push(version);
          continue;
        }
        const file = deletedUnder(markers, version, byMarker);
        if (file !== undefined) found.set(file, version);
        markers = [];
      }
    }
  }
  return found;
}

/** The file that one of these delete markers hides; by its ETag if no response named the marker. */
function deletedUnder(
  markers: readonly FileEntry[],
  { path, size, etag, kept }: FileEntry,
  byMarker: ReadonlyMap<string, NotedFile>,
): NotedFile | undefined {
  if (kept?.kind !== 'old') return undefined;
  for (const marker of markers) {
    const file = byMarker.get(markerKey(path, marker.kept?.id.split('\n', 1)[0]));
    if (file !== undefined) return file;
  }
  if (markers[0]?.kept?.kind !== 'marker') return undefined;
  const file = byMarker.get(markerKey(path, undefined));
  const isIt = etag !== undefined && file?.old.etag === etag && file.old.size === size;
  return isIt ? file : undefined;
}

/**
 * What has to be deleted of a path so that nothing of these versions is left, in this order: the versions, then the
 * markers that hide nothing any more, the oldest first. No marker above a version that stays: that would be current
 * again.
 */
export function withMarkers(
  all: readonly FileEntry[],
  doomed: ReadonlySet<string>,
): { readonly versions: readonly FileEntry[]; readonly markers: readonly FileEntry[] } {
  const versions: FileEntry[] = [];
  const markers: FileEntry[] = [];
  let isEmpty = true;
  for (const entry of all.toReversed()) {
    const isMarker = entry.kept?.kind.endsWith('marker') === true;
    if (isMarker && isEmpty) markers.push(entry);
    else if (doomed.has(entry.kept?.id ?? '')) versions.push(entry);
    else if (!isMarker) isEmpty = false;
  }
  return { versions, markers };
}

const markerKey = (path: string, id: string | undefined): string => `${path}\n${id ?? ''}`;

/** A deleted or replaced file that is kept. */
export interface TrashedFile {
  /** The run that deleted or replaced it. */
  readonly runId: string;
  /** The number of its place among the `lines` of `readNotes`, and its path there. */
  readonly place: number;
  readonly path: string;
  /** Its path below the remote that the command names. */
  readonly shown: string;
  readonly old: FileMark;
  readonly kept: KeptFile;
  /** Absent if the history does not have the run. */
  readonly why?: 'deleted' | 'replaced';
  /** What is stored: the file in the trash, or the version below its delete marker. Absent in a recycle bin. */
  readonly stored?: FileEntry;
}

/** A file that a run deleted or replaced and that was kept then. */
type NotedFile = Required<Omit<TrashedFile, 'shown' | 'stored'>>;

/** The files that one run left in a trash. */
interface TrashedDir {
  readonly runId: string;
  /** The number of their place. */
  readonly place: number;
  /** Relative to the remote with the trash of that place. */
  readonly dir: string;
  /** Before the paths of its files that no journal has: a bucket. */
  readonly base: string;
}
