import { alike, around, type Layer } from '../../core/around.ts';
import type { Deletion, KeptAs } from '../../core/change-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import { type MemberOfKind, membersOf } from '../../core/members.ts';
import { foldName } from '../../core/name-order.ts';
import { isOwnEntry, isTrialPath } from '../../core/own-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import {
  type DeleteFailures,
  deleteOne,
  deleteOneByOne,
  readPages,
} from '../../core/remote-calls.ts';
import { foldPath, parentPath } from '../../core/remote-path.ts';
import { refuseUnlisted } from '../../engine/loss/keeper.ts';
import { assertThere, writeOnlyOver } from '../../system/only-over.ts';
import type { MadeDir } from './dirs-before.ts';
import { type Change, difference, markOf, NotedChanges, type RunJournal } from './journal-file.ts';
import type { ChangeLine, JournalVerb, KeptFile, MarkedFile } from './journal-line.ts';
import type { Trash } from './trash.ts';

/**
 * The remote with a journal: each change is noted before it is made, and completed after it. With `trash`, what is
 * deleted or replaced is kept before; if that fails, the change is not made.
 */
export function withJournal(remote: Remote, journal: RunJournal, trash?: Trash): Remote {
  return around(remote, 'journal', new JournalLayer(remote, journal, trash).layer());
}

/** It says about each change what it notes, or why not. */
type NotedLayer = Layer & {
  readonly [Name in MemberOfKind<'changes'>]: Exclude<Layer[Name], 'passes'>;
};

/** What changes something and is not noted, and why. */
export const UNNOTED = {
  takeBack: { passes: 'it undoes a write that is noted as failed' },
  linkFrom: { passes: 'the trash gives a file its second name, and notes that' },
  deleteShortcut: { passes: 'what it leads to stays, and undo cannot create another' },
  publicLink: { passes: 'it changes no file' },
  deleteLink: { passes: 'it changes no file' },
  setTier: { passes: 'the content stays' },
  cleanUp: { passes: 'uploads and old versions are no files, and nothing keeps them' },
  restoreKept: { passes: 'the version that it replaces stays one' },
  deleteKept: { passes: 'uploads and old versions are no files, and nothing keeps them' },
  'commands.run': { passes: 'what a command of a backend changes is not known' },
  disconnect: { passes: 'a login is no file' },
} as const satisfies Partial<NotedLayer>;

class JournalLayer extends NotedChanges {
  readonly #noteDir = (dir: string): number => this.begin({ do: 'make-dir', path: dir });

  layer(): NotedLayer {
    return {
      ...alike(membersOf('says', 'reads'), 'passes'),
      ...this.#learning(),
      ...this.#writing(),
      ...this.#deleting(),
      ...this.#timing(),
      ...UNNOTED,
    };
  }

  /** What listings and lookups show of directories. */
  #learning() {
    const { dirs } = this;
    return {
      ...alike(['listTreePage', 'listTreeUnordered', 'listUsage', 'takeUsage'], 'passes'),
      ...alike(['listKept', 'listUploads', 'listVersions'], 'passes'),
      listPage:
        dirs === undefined
          ? 'passes'
          : (listPage) => async (dir, cursor, op) => {
              const page = await listPage(dir, cursor, op);
              dirs.learn(dir, page);
              return page;
            },
      stat:
        dirs === undefined
          ? 'passes'
          : (stat) => async (path, op) => {
              const entry = await stat(path, op);
              if (entry !== undefined) dirs.see(entry);
              return entry;
            },
      listDirs: (listDirs) => async (op) => {
        const found = await listDirs(op);
        for (const [dir, page] of found ?? []) dirs?.learn(dir, page);
        return found;
      },
    } as const satisfies Partial<Layer>;
  }

  #deleting() {
    const { inner, dirs } = this;
    const deleteDir = (dir: string, op: Op) =>
      this.deleteDir(dir, op, () => inner.deleteDir(dir, op), 'empty');
    return {
      delete: () => (files, op, how) =>
        files.length > 1
          ? this.deleteFiles(files, op, how)
          : deleteOneByOne(files, op, (file) => this.deleteFile(file, op, how)),
      deleteDir: () => deleteDir,
      // With a trash, directories are deleted file by file.
      purge:
        this.trash !== undefined
          ? 'hides'
          : (purge) => async (dir, op) => {
              if (this.trash !== undefined) return deleteDir(dir, op);
              if (await this.purgeKept(dir, op)) return;
              if (dir !== '') await dirs?.touch(parentPath(dir), op);
              const change = { do: 'delete', path: dir, dir: true } as const;
              await this.make(change, op, (own) => purge(dir, own), undefined, true);
              dirs?.forget(dir);
            },
      purgeUnlisted: (purgeUnlisted) => (dir, op) =>
        this.deleteDir(dir, op, () => purgeUnlisted(dir, op), 'with all'),
    } as const satisfies Partial<NotedLayer>;
  }

  #writing() {
    const { inner, dirs } = this;
    return {
      write: () => (source, op) => {
        const { path, size = -1, modTime, replaces } = source;
        if (size === 0 && isTrialPath(path)) return inner.write(source, op);
        const asked = replaces === undefined ? op : { ...op, change: { replaces, ...op.change } };
        return this.#write(path, { size, modTime }, asked, (own) => {
          const only = own.change?.replacesOnly;
          return only === undefined
            ? inner.write(source, own)
            : writeOnlyOver(inner, source, only, own);
        });
      },
      makeDir: () => (dir, op) => this.#inDirs(dir, op, () => inner.makeDir(dir, op)),
      copyFrom: (copyFrom) => (from, file, path, op, keep) => {
        const write = ({ size, modTime, etag }: FileEntry) => {
          const expected = { size, modTime };
          const proved = etag === undefined ? expected : { ...expected, etag };
          const copying = (own: Op) => copyFrom(from, file, path, own, keep);
          return this.#write(path, proved, op, onlyOver(inner, path, copying));
        };
        return isProvable(file) ? write(file) : provable(from, file, op).then(write);
      },
      moveFrom: (moveFrom) => async (from, file, path, op, keep) => {
        const left = await this.from(from, file, op);
        const moving = (own: Op) => moveFrom(from, file, path, own, keep);
        // What a name in other letters replaces is the file itself.
        const isItself = this.isOneName(left, path);
        const work = isItself ? moving : onlyOver(inner, path, moving);
        const expected = await provable(from, file, op);
        return this.#write(path, expected, op, work, { left, isItself });
      },
      moveDirFrom: (moveDirFrom) => (from, dir, path, op) =>
        this.#inDirs(parentPath(path), op, async () => {
          const left = await this.from(from, { path: dir }, op);
          const isItself = this.isOneName(left, path);
          const { filesToMove } = await import('./moved-dir.ts');
          const files = isItself ? undefined : await filesToMove([from, dir], [inner, path], op);
          const change = { do: 'move', path, dir: true, from: left } as const;
          const isMoved = await this.moveFiles(change, files, op, () =>
            moveDirFrom(from, dir, path, op),
          );
          dirs?.forget('');
          return isMoved;
        }),
      'restoring.restore': (restore) => async (job, op) => {
        const { path, old, current } = job;
        const made = (await dirs?.enter(parentPath(path), this.#noteDir, op)) ?? [];
        const before = current === undefined ? 'create' : 'replace';
        const replaced = current === undefined ? {} : { old: markOf(current) };
        const change = { do: before, path, ...replaced, new: markOf(old) } as const;
        const work = (own: Op) => restore(job, own);
        const done = (file: FileEntry) => difference(old, file);
        return this.#making(made, op, () => this.make(change, op, work, done));
      },
    } as const satisfies Partial<NotedLayer>;
  }

  #timing() {
    const { details } = this.inner.can;
    const ofDir = async (path: string, time: bigint, op: Op, work: () => Promise<void>) => {
      if (this.dirs?.isMade(path) === true) return work();
      await this.dirs?.describe(path, op);
      const after = markOf({ size: -1, modTime: time });
      return this.make({ do: 'set-time', path, dir: true, new: after }, op, work);
    };
    return {
      setModTime: (setModTime) => async (file, modTime, op) => {
        const known = file.modTime === undefined ? await details?.read(file, op) : file;
        const expected = { size: file.size, modTime };
        const [old, after] = [markOf(known ?? file), markOf(expected)];
        const change = { do: 'set-time', path: file.path, old, new: after } as const;
        const work = (own: Op) => setModTime(file, modTime, own);
        return this.make(change, op, work, (result) => difference(expected, result));
      },
      setDirModTime: (setDirModTime) => (dir, time, op) =>
        ofDir(dir, time, op, () => setDirModTime(dir, time, op)),
      setDirMetadata: (setDirMetadata) => (dir, metadata, time, op, isRestored) =>
        ofDir(dir, time, op, () => setDirMetadata(dir, metadata, time, op, isRestored)),
    } as const satisfies Partial<NotedLayer>;
  }

  /** Writes a file, or moves or copies one to its path, after the old one is kept. */
  #write<T extends FileEntry | undefined>(
    path: string,
    expected: MarkedFile,
    op: Op,
    work: (op: Op) => Promise<T>,
    move?: { readonly left: NonNullable<ChangeLine['from']>; readonly isItself: boolean },
  ): Promise<T> {
    const isNew = move === undefined && op.change?.replaces === 'nothing';
    const isPlain =
      isNew &&
      this.trash === undefined &&
      (this.dirs === undefined || this.dirs.isNoted(parentPath(path)));
    if (!isPlain) return this.#writeOver(path, expected, op, work, move);
    // Of small local files, an await more for each one counts.
    const change = { do: 'create', path, new: markOf(expected) } as const;
    return this.make(change, op, work, (file) => difference(expected, file));
  }

  async #writeOver<T extends FileEntry | undefined>(
    path: string,
    expected: MarkedFile,
    op: Op,
    work: (op: Op) => Promise<T>,
    move?: { readonly left: NonNullable<ChangeLine['from']>; readonly isItself: boolean },
  ): Promise<T> {
    const { left: from, isItself = false } = move ?? {};
    const known = isItself ? 'nothing' : op.change?.replaces;
    const isAsked = known === undefined || known === 'look';
    const old = isAsked ? await this.#fileAt(path, op, known !== undefined) : known;
    const trash = isItself ? undefined : this.trash;
    if (old === 'nothing' && trash !== undefined) await refuseUnlisted(this.inner, path, op);
    const dir = parentPath(path);
    const isNoted = this.dirs === undefined || this.dirs.isNoted(dir);
    const made = isNoted ? [] : await this.dirs.enter(dir, this.#noteDir, op);
    const written = old === 'nothing' ? 'create' : 'replace';
    const deed: JournalVerb = from === undefined ? written : 'move';
    const kept = typeof old === 'object' ? await this.placeToKeep(old, 'replaced', op) : undefined;
    const change: { -readonly [Member in keyof Change]: Change[Member] } = { do: deed, path };
    if (from !== undefined) change.from = from;
    const was = typeof old === 'object' ? ownPath(old) : path;
    if (was !== path && foldName(was) === foldName(path)) change.was = was;
    if (old !== 'nothing') change.old = old === 'unknown' ? old : markOf(old);
    change.new = markOf(expected);
    if (kept !== undefined) change.kept = kept;
    const keep = kept?.in === 'trash' && typeof old === 'object' ? kept.path : undefined;
    const writing = trash ? (own: Op) => trash.replacing(old, keep, own, work) : work;
    const deletes = from !== undefined || old !== 'nothing';
    const done = (file: T) => difference(expected, file);
    if (made.length === 0) return this.make(change, op, writing, done, deletes);
    return this.#making(made, op, () => this.make(change, op, writing, done, deletes));
  }

  /** Creates a directory, or something in it, and notes the directories that are new. */
  async #inDirs<T>(dir: string, op: Op, work: () => Promise<T>): Promise<T> {
    const made = (await this.dirs?.enter(dir, this.#noteDir, op)) ?? [];
    await this.written();
    return this.#making(made, op, work);
  }

  /** Does work that creates these directories too. If it fails, which of them exist is looked up. */
  async #making<T>(made: readonly MadeDir[], op: Op, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      for (const { n } of made) this.done(n);
      return result;
    } catch (thrown) {
      if (made[0] !== undefined) this.dirs?.forget(made[0].dir);
      for (const { n, dir } of made) {
        const found = await this.inner.stat(dir, op).catch(() => 'unknown' as const);
        if (found === 'unknown') break;
        this.done(n, found?.kind === 'dir' ? undefined : { ok: false });
      }
      throw thrown;
    }
  }

  /** The file at a path that the engine did not list; only looked up where that is cheap, or the file must be kept. */
  async #fileAt(
    path: string,
    op: Op,
    isAsked: boolean,
  ): Promise<FileEntry | 'nothing' | 'unknown'> {
    const { can, traits } = this.inner;
    if (!isAsked && !traits.onDisk && this.trash === undefined) {
      // A file that is replaced may stay as an older version: undo needs to know whether there was one.
      const isKept =
        can.restoring && (!traits.bucketBased || (await can.restoring.keeps(op)).replaced);
      if (!isKept) return 'unknown';
    }
    try {
      const entry = await this.inner.stat(path, op);
      return entry?.kind === 'file' ? entry : 'nothing';
    } catch (thrown) {
      // A key may write and not look; but what goes into the trash must be known.
      if (this.trash !== undefined || !hasCode(thrown, 'access-denied')) throw thrown;
      return 'unknown';
    }
  }

  /** The place and path of a file or directory that is moved, after a note of the time of its directory. */
  async from(
    remote: Remote,
    moved: Pick<FileEntry, 'path' | 'storedPath'>,
    op: Op,
  ): Promise<NonNullable<ChangeLine['from']>> {
    const path = ownPath(moved);
    await this.journal.dirsOf(remote)?.touch(parentPath(path), op);
    return { place: this.journal.file.placeOf(remote), path };
  }

  /** Whether a path of another place or this one is only `path` in other letters, where these are one name. */
  isOneName(from: NonNullable<ChangeLine['from']>, path: string): boolean {
    if (from.place !== this.journal.file.placeOf(this.inner)) return false;
    return foldPath(this.inner, from.path) === foldPath(this.inner, path);
  }

  /** Where a file that is deleted or replaced will be; `undefined` if that is unknown before. */
  async placeToKeep(
    file: FileEntry,
    why: 'deleted' | 'replaced',
    op: Op,
  ): Promise<KeptFile | undefined> {
    const { trash, dirs } = this;
    const { keptAt } = op.change ?? {};
    // By what the engine says.
    if (keptAt !== undefined)
      return { in: 'place', place: this.journal.file.placeOf(keptAt.remote), path: keptAt.path };
    if (trash === undefined) return undefined;
    const place = await trash.placeFor(file, why, op);
    // The trash is created in it.
    if (place !== undefined) await dirs?.touch('', op);
    return place;
  }

  /** Deletes a file, noted before; with a trash, it goes there. */
  async deleteFile(file: FileEntry, op: Op, how: Deletion | undefined): Promise<void> {
    if (file.size === 0 && isTrialPath(file.path)) return deleteOne(this.inner, file, op, how);
    const kept = await this.placeToKeep(file, 'deleted', op);
    await this.dirs?.touch(parentPath(file.path), op);
    const [old, more] = [markOf(file), kept && { kept }];
    const change = { do: 'delete', path: ownPath(file), old, ...more } as const;
    const path = kept?.in === 'trash' ? kept.path : undefined;
    const deleting = async (own: Op) => {
      if (path === undefined) await deleteOne(this.inner, file, own, how);
      else await this.trash?.moveIn(file, path, op);
    };
    await this.make(change, op, deleting, undefined, true);
  }

  /** Deletes files together, noted before; with a trash, they go there. */
  async deleteFiles(files: readonly FileEntry[], op: Op, how?: Deletion): Promise<DeleteFailures> {
    const { inner, dirs, trash } = this;
    const kept = await Promise.all(files.map((file) => this.placeToKeep(file, 'deleted', op)));
    for (const { path } of files) await dirs?.touch(parentPath(path), op);
    const numbers = files.map((file, index) => {
      const where = kept[index];
      const more = where === undefined ? {} : { kept: where };
      return this.begin({ do: 'delete', path: ownPath(file), old: markOf(file), ...more });
    });
    await this.written(true);
    const told = new Map<string, KeptAs>();
    const onKept = (path: string, how: KeptAs) => void told.set(path, how);
    const failures = new Map<FileEntry, Error>();
    const left = files.filter((_, index) => kept[index]?.in !== 'trash');
    if (trash !== undefined) {
      const doomed = files.flatMap((file, index) => {
        const where = kept[index];
        return where?.in === 'trash' ? [{ file, path: where.path }] : [];
      });
      await mapAtOnce(doomed, 8, async ({ file, path }) => {
        try {
          await trash.moveIn(file, path, op);
        } catch (thrown) {
          op.signal.throwIfAborted();
          failures.set(file, toSyncerError(thrown));
        }
      });
    }
    if (left.length > 0) {
      const own = { ...op, change: { ...op.change, onKept } };
      for (const [file, error] of await inner.delete(left, own, how)) failures.set(file, error);
    }
    files.forEach((file, index) => {
      const ok = !failures.has(file);
      const keptBy = told.get(file.path);
      const noted = ok ? undefined : { ok };
      this.done(numbers[index] ?? 0, keptBy === undefined ? noted : { ok, kept: keptBy });
    });
    return failures;
  }

  /** Deletes a directory, noted before. `what`: an empty one, or one with all below it. */
  async deleteDir(
    dir: string,
    op: Op,
    work: () => Promise<void>,
    what: 'empty' | 'with all',
  ): Promise<void> {
    const { dirs, trash, inner } = this;
    // It reports that the directory is missing.
    if ((await dirs?.exists(dir, op)) === false) return work();
    await dirs?.describe(dir, op);
    if (dir !== '') await dirs?.touch(parentPath(dir), op);
    const change = { do: 'remove-dir', path: dir } as const;
    const removing = () =>
      work().catch(async (thrown) => {
        if (trash === undefined || dir !== '' || !hasCode(thrown, 'not-empty')) throw thrown;
        // Links and pipes, which other listings omit, are no trash.
        const list = inner.can.listUsage ?? inner.listPage.bind(inner);
        const { entries } = await list(dir, undefined, op);
        if (entries.length === 0 || !entries.every(isOwnEntry)) throw thrown;
        // What is left is what was deleted.
        return 'kept' as const;
      });
    const left = (result: unknown) => (result === 'kept' ? { ok: false } : undefined);
    const result = await this.make(change, op, removing, left, true);
    if (result === 'kept') return;
    if (what === 'empty') dirs?.forgetEmpty(dir);
    else dirs?.forget(dir);
  }

  /**
   * Purges a directory of a store that keeps what is deleted, file by file: undo needs each of them. Resolves to `false`
   * if more is there that only `purge` deletes.
   */
  async purgeKept(dir: string, op: Op): Promise<boolean> {
    const { inner } = this;
    const { deletesAtOnce, purgeUnlisted, listTreePage, restoring } = inner.can;
    if (!deletesAtOnce || !purgeUnlisted || !listTreePage || !restoring) return false;
    if (!(await restoring.keeps(op)).deleted) return false;
    let [found, left] = [0, 0];
    const pages = readPages(
      (cursor) => listTreePage(dir, cursor, op),
      ({ error }) => {
        throw error;
      },
    );
    for await (const entries of pages) {
      const files = entries.filter((entry) => entry.kind === 'file');
      found += files.length;
      for (let from = 0; from < files.length; from += deletesAtOnce) {
        const batch = files.slice(from, from + deletesAtOnce);
        const failures = await this.deleteFiles(batch, op);
        op.change?.onDeleted?.(batch.filter((file) => !failures.has(file)));
        for (const [{ path }, error] of failures) {
          if (op.change?.onNotDeleted === undefined) throw error;
          op.change.onNotDeleted(path, error);
          left++;
        }
      }
    }
    if (left > 0) throw new SyncerError('not-empty', `${dir}: some files could not be deleted`);
    try {
      await this.deleteDir(dir, op, () => purgeUnlisted(dir, op), 'with all');
    } catch (thrown) {
      if (hasCode(thrown, 'not-empty')) return false;
      if (found === 0 || !hasCode(thrown, 'directory-not-found')) throw thrown;
    }
    return true;
  }
}

/** The path of a file in the letters of its server. */
function ownPath({ path, storedPath = path }: Pick<FileEntry, 'path' | 'storedPath'>): string {
  return foldName(storedPath) === foldName(path) ? storedPath : path;
}

/** Work that replaces only what the call permits. */
function onlyOver<T>(
  inner: Remote,
  path: string,
  work: (op: Op) => Promise<T>,
): (op: Op) => Promise<T> {
  return (own) => {
    const only = own.change?.replacesOnly;
    // A disk looks itself.
    if (only === undefined || inner.traits.onDisk) return work(own);
    return assertThere(inner, path, only, own).then(() => work(own));
  };
}

/** A file with what its copy can be recognized by without a response: its ETag if that is a hash, else its time. */
async function provable(from: Remote, file: FileEntry, op: Op): Promise<FileEntry> {
  if (isProvable(file) || from.can.details === undefined) return file;
  try {
    return await from.can.details.read(file, op);
  } catch {
    op.signal.throwIfAborted();
    return file;
  }
}

function isProvable({ modTime, hashes }: FileEntry): boolean {
  return modTime !== undefined || hashes?.md5 !== undefined;
}
