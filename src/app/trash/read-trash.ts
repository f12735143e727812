import { join, resolve } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { hasCode, type SyncerError, toSyncerError } from '../../core/errors.ts';
import { compareNames } from '../../core/name-order.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { joinPath, pathBelow, wholePath } from '../../core/remote-path.ts';
import { type PlaceLine, readMark } from '../../journal/journal-line.ts';
import { markOf } from '../../journal/noted-changes.ts';
import { trashedRuns } from '../../journal/tidy-trash.ts';
import { mapAtOnce } from '../../kit/map-at-once.ts';
import { runTimeMs } from '../../kit/run-id.ts';
import type { Invocation } from '../command.ts';
import { PlacesNow } from '../undo/places-now.ts';
import {
  type JournalNotes,
  type NotedFile,
  readNotes,
  realRoot,
  trashKey,
} from './journal-notes.ts';
import { keptVersions } from './kept-versions.ts';
import { allBelow } from './trash-files.ts';
import type { TrashedDir, TrashedFile } from './trashed-file.ts';

/** Files of a recycle bin that are looked up in parallel. */
const AT_ONCE = 8;

/** What is in the trash of a remote. */
export interface TrashContents {
  /** The newest run first, each by path. */
  readonly files: readonly TrashedFile[];
  readonly dirs: readonly TrashedDir[];
  /** The places of the files, by their numbers. */
  readonly lines: readonly PlaceLine[];
  readonly places: PlacesNow;
  /** Runs that the history does not have: their files are listed as they are in the trash. */
  readonly unknown: ReadonlySet<string>;
  /** Trashes that could not be listed, and journals that could not be read. */
  readonly failures: readonly SyncerError[];
}

/**
 * Reads the trash of a remote: its `.syncer-trash` or `--trash-dir`, those of places below or above it that the history
 * knows, and the deleted files that its server keeps, as far as the history has their runs.
 */
export async function readTrash(invocation: Invocation, remote: Remote): Promise<TrashContents> {
  const { flags, env, remotes, context, args } = invocation;
  const dir = flags['trash-at'];
  const into = dir ? await remotes.openDir(dir) : undefined;
  const state = stateDir(env);
  const folder = state && join(state, 'runs');
  const line = { ...lineOf(remote), ...(into && { trash: lineOf(into) }) };
  const notes = await readNotes(line, folder);
  const own = { remote, spec: args[1] ?? '' };
  return new TrashReader(notes, new PlacesNow(remotes, notes.lines, own), context).read(remote);
}

class TrashReader {
  readonly #notes: JournalNotes;
  readonly #places: PlacesNow;
  readonly #op: Op;
  readonly #files: TrashedFile[] = [];
  readonly #unknown = new Set<string>();
  readonly #failures: SyncerError[];

  constructor(notes: JournalNotes, places: PlacesNow, op: Op) {
    this.#notes = notes;
    this.#places = places;
    this.#op = { signal: op.signal };
    this.#failures = [...notes.failures];
  }

  async read(own: Remote): Promise<TrashContents> {
    const { lines } = this.#notes;
    const dirs = new Map<string, TrashedDir>();
    await this.#attempt(async () => {
      for (const dir of await this.#ownDirs(own)) dirs.set(this.#keyOf(dir), dir);
    });
    for (const dir of this.#notes.dirs) dirs.set(this.#keyOf(dir), dir);
    for (const dir of dirs.values()) await this.#attempt(() => this.#readDir(dir));
    for (const place of lines.keys()) await this.#attempt(() => this.#readServer(place));
    // An id has the second in which its run began.
    const began = (id: string) => this.#notes.runs.get(id) ?? runTimeMs(id);
    const files = this.#files.sort(
      (a, b) =>
        began(b.runId) - began(a.runId) ||
        compareNames(b.runId, a.runId) ||
        compareNames(a.shown, b.shown),
    );
    return {
      ...{ files, dirs: [...dirs.values()], lines },
      ...{ places: this.#places, unknown: this.#unknown, failures: this.#failures },
    };
  }

  async #attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (thrown) {
      this.#op.signal.throwIfAborted();
      this.#failures.push(toSyncerError(thrown));
    }
  }

  #keyOf({ place, dir }: TrashedDir): string {
    return trashKey(this.#lineAt(place), dir);
  }

  #lineAt(place: number): PlaceLine {
    return this.#notes.lines[place] as PlaceLine;
  }

  /** In an account of buckets each has a trash of its own. */
  async #ownDirs({ traits, root }: Remote): Promise<readonly TrashedDir[]> {
    const trash = await this.#places.trashOf(0);
    if (this.#lineAt(0).trash !== undefined) return this.#runsIn(trash, '', '');
    if (!traits.bucketBased || root !== '') return this.#runsIn(trash, OWN_NAMES.trash, '');
    const found: TrashedDir[] = [];
    const { entries } = await trash.listPage('', undefined, this.#op);
    for (const { path } of entries) {
      found.push(...(await this.#runsIn(trash, joinPath(path, OWN_NAMES.trash), path)));
    }
    return found;
  }

  async #runsIn(trash: Remote, dir: string, base: string): Promise<readonly TrashedDir[]> {
    try {
      const runs = await trashedRuns(trash, dir, this.#op);
      return runs.map((run) => ({ runId: run.id, place: 0, dir: run.dir, base }));
    } catch (thrown) {
      if (hasCode(thrown, 'not-a-directory')) return [];
      throw thrown;
    }
  }

  async #readDir({ place, dir, runId, base }: TrashedDir): Promise<void> {
    const line = this.#lineAt(place);
    const trash = await this.#places.trashOf(place);
    const { files } = await allBelow(trash, dir, this.#op);
    for (const file of files) {
      const noted = this.#notes.inTrash.get(trashKey(line, file.path));
      if (noted === 'elsewhere') continue;
      if (noted !== undefined) {
        this.#add(noted, file);
        continue;
      }
      if (!this.#notes.runs.has(runId)) this.#unknown.add(runId);
      const path = joinPath(base, file.path.slice(dir.length + 1));
      const kept = { in: 'trash', path: file.path } as const;
      this.#add({ runId, place, path, old: readMark(markOf(file)), kept }, file);
    }
  }

  async #readServer(place: number): Promise<void> {
    const noted = this.#notes.atServer.filter((file) => file.place === place);
    const versions = noted.filter(({ kept }) => kept.in === 'versions');
    await this.#readBin(place, noted);
    if (versions.length === 0) return;
    const remote = await this.#places.remote(place);
    for (const [file, version] of await keptVersions(remote, versions, this.#op)) {
      this.#add(file, version);
    }
  }

  async #readBin(place: number, noted: readonly NotedFile[]): Promise<void> {
    const binned = noted.flatMap((file) =>
      file.kept.in === 'bin' ? [{ file, id: file.kept.id }] : [],
    );
    if (binned.length === 0) return;
    const { restoring } = (await this.#places.remote(place)).can;
    await mapAtOnce(binned, AT_ONCE, async ({ file, id }) => {
      if ((await restoring?.isInBin?.(id, this.#op)) === true) this.#add(file);
    });
  }

  #add(file: Omit<NotedFile, 'why'> & Partial<NotedFile>, stored?: TrashedFile['stored']): void {
    const own = this.#lineAt(0);
    const { root } = this.#lineAt(file.place);
    const shown = pathBelow(own.root, wholePath(root, file.path));
    if (shown === undefined) return;
    this.#files.push({ ...file, shown, ...(stored && { stored }) });
  }
}

function lineOf({ name, root, title, storeId, traits }: Remote): PlaceLine {
  const at = traits.onDisk ? resolve(root) : root;
  const line = { place: 0, name, root: at, title, ...(storeId === undefined ? {} : { storeId }) };
  return { ...line, root: realRoot(line) };
}
