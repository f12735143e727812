import { defined } from '../../src/core/defined.ts';
import { AS_FAR_AS_POSSIBLE } from '../../src/core/entry-details.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import {
  formatRfc3339NanoUtc,
  isCutOf,
  parseRfc3339,
  sameModTime,
} from '../../src/core/mod-time.ts';
import type { Doing } from '../../src/core/reason.ts';
import type { DirEntry, Entry, FileEntry, Remote } from '../../src/core/remote.ts';
import { listDir } from '../../src/core/remote-calls.ts';
import { foldPath, parentPath } from '../../src/core/remote-path.ts';
import { changesNow } from '../../src/engine/consent.ts';
import { copyFile } from '../../src/engine/copy/copy-file.ts';
import { deleteFile } from '../../src/engine/loss/delete-files.ts';
import { hasTrash } from '../../src/engine/move-dir.ts';
import { moveFile } from '../../src/engine/move-file.ts';
import type { SyncOptions } from '../../src/engine/pass.ts';
import { perform } from '../../src/engine/perform.ts';
import type { Run } from '../../src/engine/run.ts';
import {
  decideUndo,
  type FindMove,
  isMarked,
  keyOf,
  type NotUndone,
  type UndoAction,
} from '../../src/run/journal/decide-undo.ts';
import {
  type DirLine,
  type FileMark,
  fileOf,
  type KeptFile,
} from '../../src/run/journal/journal-line.ts';
import {
  decideMoveBack,
  type FilesOfMove,
  listBelow,
  pathBefore,
} from '../../src/run/journal/moved-dir.ts';
import { knownOld, type RunChange } from '../../src/run/journal/read-run.ts';
import { deleteEmptyDirs } from '../../src/run/journal/trash.ts';
import { type PlacesNow, whereRetained } from './places-now.ts';

/** A file that is kept, with the place whose trash may have it. */
interface Displaced {
  readonly place: number;
  readonly old: FileMark;
  readonly kept: KeptFile;
}

/** What has become of the changes of a run; `there` are those that needed no undo. */
export interface Undone {
  readonly restored: number;
  readonly deleted: number;
  readonly there: number;
  readonly left: ReadonlyMap<RunChange, NotUndone>;
}

interface Undoing {
  readonly run: Run;
  readonly places: PlacesNow;
  readonly options: SyncOptions;
  /** `--force`: also what has changed since is replaced. */
  readonly force: boolean;
  /** Absent: no move has brought what is displaced. */
  readonly moveOf?: FindMove;
  /** Absent: no directory was moved. */
  readonly filesOf?: FilesOfMove;
  /** The changes to undo; absent: all. */
  readonly chosen?: ReadonlySet<RunChange>;
}

/**
 * Undoes changes one by one, by what is there now. `execute` is for transfers between the two sides of a run: here the
 * old content may be in a trash, a backup, a version or a recycle bin, is looked up only after the question, and an error
 * leaves the change instead of counting.
 */
export class ChangeUndoer {
  readonly #of: Undoing;
  /** Of each path and reason the last change that is left. */
  readonly #left = new Map<string, readonly [RunChange, NotUndone]>();
  /** By the change that moved it: a file that a later one, which is left, has displaced. */
  readonly #displaced = new Map<RunChange, Displaced>();
  /** Files of the run with the only old content of changes that are not undone. */
  readonly #needed = new Set<string>();
  /** Moves of files that go with their directory. */
  readonly #together = new Set<RunChange>();
  /** The directories in which something was undone. */
  readonly #touched = new Set<string>();
  /** Directories that were moved back in part, as they are to be. */
  readonly #split: DirLine[] = [];
  /** From which all files are moved back one by one. */
  readonly #emptiedDirs: (readonly [remote: Remote, dir: string])[] = [];
  /** The directories of all changes, by place. */
  readonly #seen = new Map<number, Set<string>>();
  readonly #done = { restored: 0, deleted: 0, there: 0 };
  /** The directories of trashes from which something was restored. */
  readonly #emptied = new Map<Remote, Set<string>>();

  constructor(of: Undoing) {
    this.#of = of;
  }

  get result(): Undone {
    return { ...this.#done, left: new Map(this.#left.values()) };
  }

  /** Undoes one change. Errors are counted. */
  async undo(change: RunChange): Promise<void> {
    if (this.#together.has(change)) return;
    const { place, path, from } = change;
    const { op } = this.#of.run;
    const dirs = this.#seen.get(place) ?? new Set();
    this.#seen.set(place, dirs.add(parentPath(path)));
    const displaced = this.#displaced.get(change);
    // The file that has the old content, if it is none in a trash or on its server.
    const needed = !displaced && change.kept?.in === 'place' ? keyOf(change.kept) : undefined;
    if (needed !== undefined) this.#needed.add(needed);
    try {
      if (displaced !== undefined) return await this.#bringBack(change, displaced);
      const remote = await this.#of.places.remote(place);
      const { entry: now, isOwn } = await this.#of.places.look(place, path, op);
      // On a place that ignores case, a name in other letters is the file itself.
      const isItself = from && isRenamedInCase(change, remote);
      const before =
        from && !isItself
          ? (await this.#of.places.look(from.place, from.path, op)).entry
          : undefined;
      const { modTimePrecision: windowNs, onDisk } = remote.traits;
      const found = { now, before, windowNs, onDisk, isOwn };
      const decided = decideUndo(change, found, this.#of.force);
      const isGone = decided.do === 'leave' ? decided.why === 'gone' : decided.do === 'move-back';
      const kept = isGone ? await whereRetained(change, remote, op) : undefined;
      const whole = kept ? { ...change, kept } : change;
      const action = kept ? decideUndo(whole, found, this.#of.force) : decided;
      const files = this.#of.filesOf?.(change);
      const isBlocked = action.do === 'leave' && action.why === 'blocked';
      if (files && now?.kind === 'dir' && (isBlocked || action.do === 'move-back'))
        return await this.#moveDirBack(change, files, { ...now, path }, isBlocked);
      for (const file of files ?? []) this.#together.add(file);
      if (action.do === 'leave') return this.#leave(change, action.why);
      const isLost = action.do === 'delete' || action.do === 'restore';
      if (isLost && this.#needed.has(keyOf(change))) return this.#name(change, 'needed');
      if (needed !== undefined) this.#needed.delete(needed);
      // A copy under another name of the file itself is none.
      if (from && before && isLost) {
        const [one, other] = await Promise.all(
          [change, from].map(async (at) => ({
            remote: await this.#of.places.remote(at.place),
            file: { path: at.path },
          })),
        );
        if (one && other && (await this.#of.run.places.isSameFile(one, other))) return;
      }
      // Also what an undo that was killed has undone.
      this.#touch(place, path);
      if (from !== undefined) this.#touch(from.place, from.path);
      if (change.do === 'remove-dir' || change.dir === true) this.#touched.add(`${place}\n${path}`);
      if (action.do === 'nothing') this.#done.there++;
      else await this.#carryOut(whole, remote, action);
    } catch (thrown) {
      if (needed !== undefined) this.#needed.add(needed);
      if (hasCode(thrown, 'file-not-found')) this.#name(change, 'gone');
      else if (hasCode(thrown, 'not-a-directory')) this.#name(change, 'below-file');
      else this.#of.run.fail(thrown, path, DOING[change.do]);
    }
  }

  /** Notes that a change is left; each path and reason once. */
  #name(change: RunChange, why: NotUndone): void {
    const key = `${keyOf(change)}\n${why}`;
    if (!this.#left.has(key)) this.#left.set(key, [change, why]);
  }

  /** Leaves a change. What it replaced or deleted may have come there by a move, whose undo then takes it from there. */
  #leave(change: RunChange, why: NotUndone): void {
    this.#name(change, why);
    const { place, kept } = change;
    const old = knownOld(change);
    if (old === undefined || kept === undefined) return;
    const move = this.#of.moveOf?.(change, change);
    if (move) this.#displaced.set(move, { place, old, kept });
  }

  /** Restores a file to where a change moved it from. At its path is something else, which is named with a later change. */
  async #bringBack(change: RunChange, displaced: Displaced): Promise<void> {
    const { from, place, path } = change;
    const home = from ?? { place, path };
    const { old, kept } = displaced;
    const remote = await this.#of.places.remote(home.place);
    const { entry } = await this.#of.places.look(home.place, home.path, this.#of.run.op);
    if (entry === undefined) {
      this.#touch(home.place, home.path);
      // The version is another one than that at the path from which it was displaced.
      const at = kept.in === 'versions' ? ({ in: 'versions' } as const) : kept;
      const gone = { n: change.n, do: 'delete', ...home } as const;
      await this.#restore(gone, remote, { do: 'restore', old, kept: at }, displaced.place);
    } else if (isMarked(entry, old, remote.traits.modTimePrecision)) this.#done.there++;
    else {
      this.#name(change, 'changed');
      const move = this.#of.moveOf?.(change, home);
      if (move) this.#displaced.set(move, displaced);
    }
    if (from !== undefined) this.#leave(change, 'changed');
  }

  /** Sets times and metadata of directories in which something was undone, and of roots: they may have a trash by now. */
  async finish(dirs: readonly DirLine[]): Promise<void> {
    const { op } = this.#of.run;
    await this.tidyTrash();
    for (const [remote, path] of this.#emptiedDirs.reverse()) await this.#deleteDir(remote, path);
    // Temporary files that a killed run has left beside its files: the listing of a disk that is changed deletes them.
    for (const [place, seen] of this.#seen) {
      const remote = await this.#of.places.remote(place);
      for (const dir of remote.traits.onDisk ? seen : []) {
        try {
          for await (const _ of listDir(remote, dir, op, () => {}));
        } catch {
          // What cannot be listed keeps its own until a run can.
        }
      }
    }
    // Each directory once.
    const before = new Map<string, DirLine>();
    for (const line of [...dirs, ...this.#split]) {
      const key = `${line.place}\n${line.dir}`;
      if (line.dir === '' || this.#touched.has(key))
        before.set(key, { ...line, ...before.get(key) });
    }
    for (const { place, dir, time: text = '', metadata } of before.values()) {
      const time = parseRfc3339(text);
      if (time === undefined) continue;
      try {
        const { can, title } = await this.#of.places.remote(place);
        if (dir === '' && (await this.#of.places.rootTime(place, op)) === time) continue;
        if (!(await this.#of.run.mayChange({ do: 'set-dir', path: dir, title }))) continue;
        if (metadata === undefined) await can.setDirModTime?.(dir, time, op);
        else await can.setDirMetadata?.(dir, metadata, time, op, true);
      } catch (thrown) {
        if (!hasCode(thrown, 'directory-not-found', 'file-not-found'))
          this.#of.run.fail(thrown, dir, 'set-dir-mod-time');
      }
    }
  }

  /** Deletes the directories of trashes from which the last file was restored. */
  async tidyTrash(): Promise<void> {
    for (const [trash, dirs] of this.#emptied)
      for (const dir of dirs) await deleteEmptyDirs(trash, dir, this.#of.run.op);
  }

  #touch(place: number, path: string): void {
    this.#touched.add(`${place}\n${parentPath(path)}`);
  }

  async #carryOut(
    change: RunChange,
    remote: Remote,
    action: Exclude<UndoAction, { do: 'nothing' | 'leave' }>,
  ): Promise<void> {
    const { run } = this.#of;
    const { place, path } = change;
    switch (action.do) {
      case 'delete': {
        const { file } = action;
        const isGone = await deleteFile(run, remote, { ...file, path });
        this.#note(change, isGone, undefined);
        if (isGone) this.#done.deleted++;
        return;
      }
      case 'restore':
        return this.#restore(change, remote, action);
      case 'move-back':
        return this.#moveBack(change, remote, action);
      case 'set-time': {
        const { time, file } = action;
        if (file === undefined || time === undefined) {
          this.#touched.add(`${place}\n${path}`);
          return;
        }
        if (remote.can.setModTime === undefined) return;
        const timed = { ...file, path };
        const done = await perform(run, remote, { do: 'set-time', file: timed, modTime: time });
        if (done === undefined && changesNow(run.consent)) return;
        this.#of.places.leave(place, path, done?.file ?? { ...file, modTime: time });
        if (done) this.#done.restored++;
        return;
      }
      case 'make-dir': {
        if (!remote.traits.emptyDirs) return;
        const made = await perform(run, remote, { do: 'make-dir', path });
        if (made !== undefined) this.#touched.add(`${place}\n${path}`);
        return;
      }
      case 'remove-dir':
        await this.#deleteDir(remote, path);
    }
  }

  /** Deletes a directory if it is empty. */
  async #deleteDir(remote: Remote, path: string): Promise<void> {
    try {
      await perform(this.#of.run, remote, { do: 'remove-dir', path, title: remote.title });
    } catch (thrown) {
      if (!hasCode(thrown, 'not-empty', 'directory-not-found')) throw thrown;
    }
  }

  /** Notes what is at the path of a change: one that was declined stays. */
  #note(change: RunChange, isDone: boolean, entry: Entry | undefined): void {
    if (isDone || !changesNow(this.#of.run.consent))
      this.#of.places.leave(change.place, change.path, entry);
  }

  async #restore(
    change: RunChange,
    dest: Remote,
    { old, kept, current }: Extract<UndoAction, { do: 'restore' }>,
    /** The place with the trash. */
    trash = change.place,
  ): Promise<void> {
    const run = this.#of.run;
    const { place, was: path = change.path } = change;
    const source = fileOf(path, old);
    let restored: FileEntry | undefined = source;
    // A trial names what is lost, too; elsewhere earlier steps may have to bring it first.
    const trashed = kept.in === 'trash' ? await this.#keptCopy(trash, source, kept) : undefined;
    const may = await run.mayChange({ do: 'copy', source, path, replaces: current });
    const known = { replaces: current ?? 'nothing' } as const;
    const op = { ...run.op, change: known };
    if (!may) return this.#note(change, false, source);
    if (kept.in === 'versions' || kept.in === 'bin') {
      const job = { path, old: source, kept, ...(current && { current }) };
      restored = await dest.can.restoring?.restore(job, op);
      if (restored === undefined) throw gone(path, 'its server restores nothing');
    } else {
      const { from, file } = trashed ?? (await this.#keptCopy(trash, source, kept));
      const job = { source: from, file, dest, path, change: known };
      const whole = current === undefined ? job : { ...job, replaces: current };
      await this.#withMetadata(dest, path, (options) =>
        trashed ? moveFile(run, whole, options) : copyFile(run, whole, options),
      );
      if (trashed) {
        const dirs = this.#emptied.get(from) ?? new Set();
        this.#emptied.set(from, dirs.add(parentPath(file.path)));
      }
    }
    this.#of.places.leave(place, path, restored);
    this.#done.restored++;
  }

  /** Where the old content of a file is. Rejects with `file-not-found` if it is not there, or has changed. */
  async #keptCopy(
    place: number,
    old: FileEntry,
    kept: Extract<KeptFile, { in: 'trash' | 'place' }>,
  ) {
    const isTrash = kept.in === 'trash';
    const places = this.#of.places;
    const from = await (isTrash ? places.trashOf(place) : places.remote(kept.place));
    const file = await from.stat(kept.path, this.#of.run.op);
    const at = `${kept.path} in ${from.title}`;
    if (file?.kind !== 'file' || (file.size !== old.size && old.size >= 0))
      throw gone(old.path, `${at} is not what was kept`);
    const [now, before, { traits }] = [file.modTime, old.modTime, from];
    if (isTrash || now === undefined || before === undefined) return { from, file };
    // As far as the place keeps the time.
    const isCut = traits.onDisk && isCutOf(now, before);
    if (!isCut && !sameModTime(now, before, traits.modTimePrecision ?? 1n))
      throw gone(old.path, `${at} has changed since`);
    return { from, file };
  }

  async #moveBack(
    change: RunChange,
    remote: Remote,
    { current, replaced }: Extract<UndoAction, { do: 'move-back' }>,
    /** How many files it moves. */
    count = 1,
  ): Promise<void> {
    const run = this.#of.run;
    const { place, path, from = { place, path }, kept } = change;
    const dest = await this.#of.places.remote(from.place);
    const shown = { do: 'rename', path, to: from.path } as const;
    const may = await run.mayChange(current.kind === 'file' ? { ...shown, file: current } : shown);
    if (may) {
      if (current.kind === 'dir') {
        const isMoved = await dest.can.moveDirFrom?.(remote, path, from.path, run.op);
        if (isMoved !== true)
          throw new SyncerError('unsupported', `cannot move ${path} back`, { path });
      } else {
        const known = { replaces: replaced ?? 'nothing' } as const;
        const job = { source: remote, file: current, dest, path: from.path, change: known };
        const whole = replaced === undefined ? job : { ...job, replaces: replaced };
        if (isRenamedInCase(change, dest))
          await dest.can.moveFrom?.(remote, current, from.path, { ...run.op, change: known });
        else await this.#withMetadata(dest, path, (options) => moveFile(run, whole, options));
      }
      if (!this.#of.places.isInTrash(from)) this.#done.restored += count;
      else if (change.old === undefined) this.#done.deleted++;
    }
    this.#note(change, may, undefined);
    if (!may && changesNow(run.consent)) return;
    this.#of.places.leave(from.place, from.path, { ...current, path: from.path } as Entry);
    const old = knownOld(change);
    if (old === undefined) return;
    if (kept === undefined) this.#name(change, 'gone');
    else await this.#restore(change, remote, { do: 'restore', old, kept });
  }

  /**
   * Moves a directory back whose files are noted: whole, if nothing in it has changed since and nothing is in its place.
   * Else the directories below it for which this is so, and the files of the others with their own changes.
   */
  async #moveDirBack(
    change: RunChange,
    files: readonly RunChange[],
    dir: DirEntry,
    isBlocked: boolean,
  ): Promise<void> {
    const { path, place, from = { place, path } } = change;
    const { run, places, chosen, force } = this.#of;
    const [remote, dest] = [await places.remote(place), await places.remote(from.place)];
    const { whole, split, emptied, added } = decideMoveBack({
      dir,
      files,
      below: await listBelow(remote, path, run.op),
      isChosen: (file) => chosen?.has(file) !== false,
      windowNs: remote.traits.modTimePrecision,
      force,
      filesOnly: isBlocked || (await hasTrash(remote, path, run.op)),
    });
    for (const current of split) {
      const home = { place: from.place, dir: pathBefore(change, current.path) };
      if ((await dest.stat(home.dir, run.op)) !== undefined) continue;
      const time = current.modTime === undefined ? '' : formatRfc3339NanoUtc(current.modTime);
      const metadata = await remote.can.readDirMetadata?.(current, run.op, true);
      this.#touched.add(`${home.place}\n${home.dir}`);
      this.#split.push({ ...home, time, ...defined({ metadata }) });
    }
    for (const { dir: current, files: within } of whole) {
      const home = { ...from, path: pathBefore(change, current.path) };
      const part = { ...change, path: current.path, from: home };
      for (const file of within) this.#together.add(file);
      for (const each of [part, home]) this.#touch(each.place, each.path);
      await this.#moveBack(part, remote, { do: 'move-back', current }, within.length);
    }
    for (const { path: left } of emptied) {
      await perform(run, dest, { do: 'make-dir', path: pathBefore(change, left) });
      this.#emptiedDirs.push([remote, left]);
    }
    for (const file of added) this.#name({ ...change, path: file.path }, 'changed');
  }

  /** Transfers a file; what was copied from a disk gets its mode back there. */
  async #withMetadata(
    dest: Remote,
    path: string,
    work: (options: SyncOptions) => Promise<unknown>,
  ): Promise<void> {
    try {
      const metadata = dest.traits.onDisk ? { metadata: AS_FAR_AS_POSSIBLE } : {};
      await work({ ...this.#of.options, ...metadata });
    } catch (thrown) {
      if (!hasCode(thrown, 'metadata')) throw thrown;
      this.#of.run.log('notice', path, 'message', {
        text: `Restored without some metadata: ${thrown.message}`,
      });
    }
  }
}

/** Whether a change gave a file the same name in other letters, where these are one name. */
function isRenamedInCase({ place, path, from }: RunChange, remote: Remote): boolean {
  if (from?.place !== place) return false;
  return foldPath(remote, from.path) === foldPath(remote, path);
}

const DOING: Readonly<Record<RunChange['do'], Doing>> = {
  create: 'delete',
  replace: 'copy',
  delete: 'copy',
  move: 'move',
  'set-time': 'set-mod-time',
  'make-dir': 'remove-directory',
  'remove-dir': 'make-directory',
};

function gone(path: string, why: string): SyncerError {
  return new SyncerError('file-not-found', `cannot restore ${path}: ${why}`, { path });
}
