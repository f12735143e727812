import { formatRemoteSpec, parseRemoteSpec } from '../../src/config/remote-spec.ts';
import type { KeptAs } from '../../src/core/change-details.ts';
import { AS_FAR_AS_POSSIBLE } from '../../src/core/entry-details.ts';
import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { listDir } from '../../src/core/list-dir.ts';
import { isCutOf, type ModTime, parseRfc3339, sameModTime } from '../../src/core/mod-time.ts';
import { foldPath } from '../../src/core/naming.ts';
import { isTrashDir } from '../../src/core/own-names.ts';
import type { Doing } from '../../src/core/reason.ts';
import type { Entry, FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { isWithin, parentPath, shownRemote } from '../../src/core/remote-path.ts';
import { copyFile } from '../../src/engine/copy-file.ts';
import { moveFile } from '../../src/engine/move-file.ts';
import type { SyncOptions } from '../../src/engine/pass.ts';
import { perform } from '../../src/engine/perform.ts';
import type { Run } from '../../src/engine/run.ts';
import type { DeleteBudget } from '../../src/engine/run-limits.ts';
import { decideUndo, type NotUndone, type UndoAction } from '../../src/run/journal/decide-undo.ts';
import {
  type DirLine,
  fileOf,
  type KeptFile,
  type PlaceLine,
} from '../../src/run/journal/journal-line.ts';
import type { RunChange } from '../../src/run/journal/read-run.ts';
import { deleteEmptyDirs } from '../../src/run/journal/trash.ts';
import { LIST_LINKS } from '../../src/run/remotes/remote-flags.ts';
import type { RemoteOpener } from '../../src/shell/command-line/command.ts';

/** Whether a file has the time of another one, as far as its place keeps it and both are known. */
function isKeptTime(now: FileEntry, old: FileEntry, { traits }: Remote): boolean {
  if (now.modTime === undefined || old.modTime === undefined) return true;
  if (traits.onDisk && isCutOf(now.modTime, old.modTime)) return true;
  return sameModTime(now.modTime, old.modTime, traits.modTimePrecision ?? 1n);
}

/** Old content in another file. */
type KeptCopy = Extract<KeptFile, { in: 'trash' | 'place' }>;

/** What has become of the changes of a run; `there` are those that needed no undo. */
export interface Undone {
  readonly restored: number;
  readonly deleted: number;
  readonly there: number;
  readonly left: ReadonlyMap<RunChange, NotUndone>;
}

/**
 * Undoes changes one by one, by what is there now. `execute` is for transfers between the two sides of a run: here the
 * old content may be in a trash, a backup, a version or a recycle bin, is looked up only after the question, and an error
 * leaves the change instead of counting.
 */
export class ChangeUndoer {
  readonly #run: Run;
  readonly #places: PlacesNow;
  readonly #options: SyncOptions;
  readonly #force: boolean;
  readonly #left = new Map<RunChange, NotUndone>();
  /** The directories in which something was undone. */
  readonly #touched = new Set<string>();
  /** The directories of all changes, by place. */
  readonly #seen = new Map<number, Set<string>>();
  readonly #done = { restored: 0, deleted: 0, there: 0 };
  /** The directories of trashes from which something was restored. */
  readonly #emptied = new Map<Remote, Set<string>>();
  readonly #budget: DeleteBudget;

  constructor(
    run: Run,
    places: PlacesNow,
    options: SyncOptions,
    force: boolean,
    budget: DeleteBudget,
  ) {
    this.#budget = budget;
    this.#run = run;
    this.#places = places;
    this.#options = options;
    this.#force = force;
  }

  get result(): Undone {
    return { ...this.#done, left: this.#left };
  }

  /** Undoes one change. Errors are counted. */
  async undo(change: RunChange): Promise<void> {
    const { place, path, from } = change;
    const { op } = this.#run;
    const dirs = this.#seen.get(place) ?? new Set();
    this.#seen.set(place, dirs.add(parentPath(path)));
    try {
      const remote = await this.#places.remote(place);
      const { entry: now, isOwn } = await this.#places.look(place, path, op);
      // On a place that ignores case, a name in other letters is the file itself.
      const isItself = from && isRenamedInCase(change, remote);
      const before =
        from && !isItself ? (await this.#places.look(from.place, from.path, op)).entry : undefined;
      const { modTimePrecision: windowNs, onDisk } = remote.traits;
      const found = { now, before, windowNs, onDisk, isOwn };
      const decided = decideUndo(change, found, this.#force);
      const isGone = decided.do === 'leave' ? decided.why === 'gone' : decided.do === 'move-back';
      const kept = isGone ? await keptUnnoted(change, remote, op) : undefined;
      const whole = kept ? { ...change, kept } : change;
      const action = kept ? decideUndo(whole, found, this.#force) : decided;
      if (action.do === 'leave') return void this.#left.set(change, action.why);
      // A copy under another name of the file itself is none.
      const isCopy = from && before && (action.do === 'delete' || action.do === 'restore');
      if (isCopy && (await this.#isOneFile(change, from))) return;
      // Also what an undo that was killed has undone.
      this.#touch(place, path);
      if (from !== undefined) this.#touch(from.place, from.path);
      if (change.do === 'remove-dir' || change.dir === true) this.#touched.add(`${place}\n${path}`);
      if (action.do === 'nothing') this.#done.there++;
      else await this.#carryOut(whole, remote, action);
    } catch (thrown) {
      if (hasCode(thrown, 'file-not-found')) this.#left.set(change, 'gone');
      else if (hasCode(thrown, 'not-a-directory')) this.#left.set(change, 'below-file');
      else this.#run.fail(thrown, path, DOING[change.do]);
    }
  }

  /** Sets times and metadata of directories in which something was undone, and of roots: they may have a trash by now. */
  async finish(dirs: readonly DirLine[]): Promise<void> {
    const { op } = this.#run;
    await this.tidyTrash();
    await this.#deletePartials();
    for (const { place, dir, time, metadata } of this.#dirsBefore(dirs)) {
      try {
        const { can, title } = await this.#places.remote(place);
        if (dir === '' && (await this.#places.rootTime(place, op)) === time) continue;
        if (!(await this.#run.mayChange({ do: 'set-dir', path: dir, title }))) continue;
        if (metadata === undefined) await can.setDirModTime?.(dir, time, op);
        else await can.setDirMetadata?.(dir, metadata, time, op, true);
      } catch (thrown) {
        if (!hasCode(thrown, 'directory-not-found', 'file-not-found'))
          this.#run.fail(thrown, dir, 'set-dir-mod-time');
      }
    }
  }

  /** Deletes the directories of trashes from which the last file was restored. */
  async tidyTrash(): Promise<void> {
    for (const [trash, dirs] of this.#emptied)
      for (const dir of dirs) await deleteEmptyDirs(trash, dir, this.#run.op);
  }

  /** Temporary files that a killed run has left beside its files: the listing of a disk that is changed deletes them. */
  async #deletePartials(): Promise<void> {
    for (const [place, dirs] of this.#seen) {
      const remote = await this.#places.remote(place);
      if (!remote.traits.onDisk) continue;
      for (const dir of dirs) {
        try {
          for await (const _ of listDir(remote, dir, this.#run.op, () => {}));
        } catch {
          // What cannot be listed keeps its own until a run can.
        }
      }
    }
  }

  /** The directories to set, each once. */
  #dirsBefore(dirs: readonly DirLine[]) {
    const found = new Map<string, DirLine>();
    for (const line of dirs) {
      const key = `${line.place}\n${line.dir}`;
      if (line.dir === '' || this.#touched.has(key)) found.set(key, { ...line, ...found.get(key) });
    }
    return [...found.values()].flatMap((line) => {
      const time = line.time === undefined ? undefined : parseRfc3339(line.time);
      return time === undefined ? [] : [{ ...line, time }];
    });
  }

  #touch(place: number, path: string): void {
    this.#touched.add(`${place}\n${parentPath(path)}`);
  }

  async #carryOut(
    change: RunChange,
    remote: Remote,
    action: Exclude<UndoAction, { do: 'nothing' | 'leave' }>,
  ): Promise<void> {
    switch (action.do) {
      case 'delete':
        return this.#delete(change, remote, action.file);
      case 'restore':
        return this.#restore(change, remote, action);
      case 'move-back':
        return this.#moveBack(change, remote, action);
      case 'set-time':
        return this.#setTime(change, remote, action);
      case 'make-dir':
        return this.#makeDir(change, remote);
      case 'remove-dir':
        return this.#removeDir(change, remote);
    }
  }

  async #isOneFile(at: RunChange, from: NonNullable<RunChange['from']>): Promise<boolean> {
    const sides = [at, from].map(async ({ place, path }) => ({
      remote: await this.#places.remote(place),
      file: { path },
    }));
    const [now, before] = await Promise.all(sides);
    return now !== undefined && before !== undefined && this.#run.places.isSameFile(now, before);
  }

  async #delete({ place, path }: RunChange, remote: Remote, file: FileEntry): Promise<void> {
    const run = this.#run;
    if (run.approval?.plans !== true && this.#budget.take(1, [file.size]) === 0)
      throw this.#budget.error();
    this.#places.leave(place, path, undefined);
    const gone = { do: 'delete', file: { ...file, path } } as const;
    if (await perform(run, remote, gone, { ifUnchanged: true })) this.#done.deleted++;
  }

  async #restore(
    { place, path: inRun, was: path = inRun }: RunChange,
    dest: Remote,
    { old, kept, current }: Extract<UndoAction, { do: 'restore' }>,
  ): Promise<void> {
    const run = this.#run;
    const source = fileOf(path, old);
    // A trial names what is lost, too; elsewhere earlier steps may have to bring it first.
    const trashed = kept.in === 'trash' ? await this.#keptCopy(place, source, kept) : undefined;
    const may = await run.mayChange({ do: 'copy', source, path, replaces: current });
    const known = { replaces: current ?? 'nothing' } as const;
    const op = { ...run.op, change: known };
    this.#places.leave(place, path, source);
    if (!may) return;
    if (kept.in === 'versions' || kept.in === 'bin') {
      const job = { path, old: source, kept, ...(current && { current }) };
      const restored = await dest.can.restoring?.restore(job, op);
      if (restored === undefined) throw gone(path, 'its server restores nothing');
      this.#places.leave(place, path, restored);
    } else {
      const { from, file } = trashed ?? (await this.#keptCopy(place, source, kept));
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
    this.#done.restored++;
  }

  /** Where the old content of a file is. Rejects with `file-not-found` if it is not there, or has changed. */
  async #keptCopy(place: number, old: FileEntry, kept: KeptCopy) {
    const isTrash = kept.in === 'trash';
    const places = this.#places;
    const from = await (isTrash ? places.trashOf(place) : places.remote(kept.place));
    const file = await from.stat(kept.path, this.#run.op);
    const at = `${kept.path} in ${from.title}`;
    if (file?.kind !== 'file' || (file.size !== old.size && old.size >= 0))
      throw gone(old.path, `${at} is not what was kept`);
    if (!isTrash && !isKeptTime(file, old, from)) throw gone(old.path, `${at} has changed since`);
    return { from, file };
  }

  async #moveBack(
    change: RunChange,
    remote: Remote,
    { current, replaced }: Extract<UndoAction, { do: 'move-back' }>,
  ): Promise<void> {
    const run = this.#run;
    const { place, path, from = { place, path }, old, done } = change;
    const dest = await this.#places.remote(from.place);
    const shown = { do: 'rename', path, to: from.path } as const;
    const may = await run.mayChange(current.kind === 'file' ? { ...shown, file: current } : shown);
    this.#places.leave(place, path, undefined);
    this.#places.leave(from.place, from.path, { ...current, path: from.path } as Entry);
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
      if (!this.#places.isInTrash(from)) this.#done.restored++;
      else if (change.old === undefined) this.#done.deleted++;
    }
    const kept = done?.kept ?? change.kept;
    if (old === undefined || old === 'unknown') return;
    if (kept === undefined) this.#left.set(change, 'gone');
    else await this.#restore(change, remote, { do: 'restore', old, kept });
  }

  /** Transfers a file; what was copied from a disk gets its mode back there. */
  async #withMetadata(
    dest: Remote,
    path: string,
    work: (options: SyncOptions) => Promise<unknown>,
  ): Promise<void> {
    try {
      const metadata = dest.traits.onDisk ? { metadata: AS_FAR_AS_POSSIBLE } : {};
      await work({ ...this.#options, ...metadata });
    } catch (thrown) {
      if (!hasCode(thrown, 'metadata')) throw thrown;
      this.#run.log('notice', path, 'message', {
        text: `Restored without some metadata: ${thrown.message}`,
      });
    }
  }

  async #setTime(
    { place, path }: RunChange,
    remote: Remote,
    { time, file }: Extract<UndoAction, { do: 'set-time' }>,
  ): Promise<void> {
    const run = this.#run;
    if (file === undefined || time === undefined) {
      this.#touched.add(`${place}\n${path}`);
      return;
    }
    const timed = { ...file, path };
    this.#places.leave(place, path, { ...file, modTime: time });
    if (remote.can.setModTime === undefined) return;
    const done = await perform(run, remote, { do: 'set-time', file: timed, modTime: time });
    if (done === undefined) return;
    this.#places.leave(place, path, done.file);
    this.#done.restored++;
  }

  async #makeDir({ place, path }: RunChange, remote: Remote): Promise<void> {
    if (!remote.traits.emptyDirs) return;
    const made = await perform(this.#run, remote, { do: 'make-dir', path });
    if (made !== undefined) this.#touched.add(`${place}\n${path}`);
  }

  async #removeDir({ path }: RunChange, remote: Remote): Promise<void> {
    try {
      await perform(this.#run, remote, { do: 'remove-dir', path, title: remote.title });
    } catch (thrown) {
      if (!hasCode(thrown, 'not-empty', 'directory-not-found')) throw thrown;
    }
  }
}

/** Where a server keeps a file of a change whose response did not arrive. */
async function keptUnnoted(
  { do: deed, path: inRun, was: path = inRun, old, kept, done }: RunChange,
  { can }: Remote,
  op: Op,
): Promise<KeptAs | undefined> {
  if (old === undefined || old === 'unknown' || (done?.kept ?? kept) !== undefined)
    return undefined;
  if (deed !== 'delete' && deed !== 'replace' && deed !== 'move') return undefined;
  return can.restoring?.find?.(fileOf(path, old), op);
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

/** What is at a path now, and whether undoing a later change of the same run left it there. */
export interface PathNow {
  readonly entry: Entry | undefined;
  readonly isOwn: boolean;
}

/** A remote that is open, and how the user named it. */
interface OwnPlace {
  readonly remote: Remote;
  readonly spec: string;
}

/** What is needed to open a place. */
type Opened = Pick<PlaceLine, 'name' | 'root' | 'storeId' | 'links'>;

/** The remotes that a run changed, opened when they are needed, and what is in them by now. */
export class PlacesNow {
  readonly #remotes: RemoteOpener;
  readonly #places: readonly PlaceLine[];
  readonly #opened = new Map<string, Promise<Remote>>();
  readonly #left = new Map<string, Entry | undefined>();
  /** The remotes of places that have been used. */
  readonly #remoteOf = new Map<number, Remote>();
  readonly #own: OwnPlace | undefined;

  /** @param own the remote that the user named, with its options */
  constructor(remotes: RemoteOpener, places: readonly PlaceLine[], own?: OwnPlace) {
    this.#remotes = remotes;
    this.#places = places;
    this.#own = own;
  }

  /** The remote of a place. Rejects with `config` if its name now means another one. */
  async remote(place: number): Promise<Remote> {
    const remote = await this.#open(this.#line(place));
    this.#remoteOf.set(place, remote);
    return remote;
  }

  /** The remote with the trash of a place. */
  trashOf(place: number): Promise<Remote> {
    const { trash, links } = this.#line(place);
    if (trash === undefined) return this.remote(place);
    return this.#open(links === undefined ? trash : { ...trash, links });
  }

  /** Whether a path is in the trash of a run. */
  isInTrash({ place, path }: { readonly place: number; readonly path: string }): boolean {
    const { name, root } = this.#line(place);
    const isTrash = this.#places.some(
      ({ trash }) => trash?.name === name && isWithin(trash.root, root),
    );
    return isTrash || isTrashDir(parentPath(path));
  }

  /** What is at a path; directories that exist only by what is in them are not there. */
  async look(place: number, path: string, op: Op): Promise<PathNow> {
    const remote = await this.remote(place);
    const key = this.#key(place, path);
    if (this.#left.has(key)) return { entry: this.#left.get(key), isOwn: true };
    const entry = await remote.stat(path, op);
    const isNothing = entry?.kind === 'dir' && !remote.traits.emptyDirs;
    return { entry: isNothing ? undefined : entry, isOwn: false };
  }

  /** The time of the root of a place on a disk; `undefined` if it has none. */
  async rootTime(place: number, op: Op): Promise<ModTime | undefined> {
    const remote = await this.remote(place);
    if (!remote.traits.onDisk) return undefined;
    const root = await remote.stat('', op).catch(() => undefined);
    return root?.kind === 'dir' ? root.modTime : undefined;
  }

  /** Drops what was noted of the changes of an attempt, which may have failed. */
  lookAgain(): void {
    this.#left.clear();
  }

  /** Notes what undoing a change leaves at a path. */
  leave(place: number, path: string, entry: Entry | undefined): void {
    this.#left.set(this.#key(place, path), entry);
  }

  #key(place: number, path: string): string {
    const remote = this.#remoteOf.get(place);
    return `${place}\n${remote === undefined ? path : foldPath(remote, path)}`;
  }

  #line(place: number): PlaceLine {
    const line = this.#places[place];
    if (line !== undefined) return line;
    throw new SyncerError('other', `the journal of the run does not name its place ${place}`);
  }

  #open(line: Opened): Promise<Remote> {
    const key = `${line.name}\n${line.root}`;
    const opening = this.#opened.get(key) ?? this.#openNamed(line);
    this.#opened.set(key, opening);
    return opening;
  }

  async #openNamed({ name, root, storeId, links }: Opened): Promise<Remote> {
    const { remote: own, spec: typed } = this.#own ?? { spec: '' };
    const hasLinks = links !== true || own?.traits.linkSuffix !== undefined;
    if (own?.name === name && own.root === root && hasLinks) return own;
    const plain = { name: shownRemote(name), overrides: new Map() };
    const words = own?.name === name ? parseRemoteSpec(typed) : plain;
    // An alias would look for the root below its own.
    const parsed = words.name === plain.name ? words : plain;
    const spec = formatRemoteSpec({ ...parsed, path: root });
    const remote = await this.#remotes.openDir(spec, links ? LIST_LINKS : undefined);
    const isOther = remote.name !== name;
    if (!isOther && (storeId === undefined || remote.storeId === storeId)) return remote;
    const text = `${spec} is not the remote that the run changed: it has other options now`;
    const advice = 'give the flags and variables of the run again, or restore its configuration';
    throw new SyncerError('config', text, { advice });
  }
}
