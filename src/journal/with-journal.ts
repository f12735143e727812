import { around, type Layer } from '../core/around.ts';
import { hasCode } from '../core/errors.ts';
import { isOwnName, isTrialPath } from '../core/own-names.ts';
import type { Capabilities, FileEntry, Op, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import type { KeptAs } from '../core/restoring.ts';
import { workOnlyOver, writeOnlyOver } from '../kit/only-over.ts';
import type { DirsBefore, MadeDir } from './dirs-before.ts';
import { type ChangeLine, type JournalVerb, type MarkedFile, markOf } from './journal-line.ts';
import {
  difference,
  NotedChanges,
  type RunJournal,
  withKept,
  withKeptFile,
} from './noted-changes.ts';
import { keepReplaced } from './replace-kept.ts';
import type { Trash } from './trash.ts';

/**
 * The remote with a journal: each change is noted before it is made, and completed after it. With `trash`, what is
 * deleted or replaced is kept before; if that fails, the change is not made.
 */
export function withJournal(remote: Remote, journal: RunJournal, trash?: Trash): Remote {
  return around(remote, new JournalLayer(remote, journal, trash).layer());
}

class JournalLayer {
  readonly #inner: Remote;
  readonly #notes: NotedChanges;
  readonly #trash: Trash | undefined;
  readonly #dirs: DirsBefore | undefined;

  constructor(inner: Remote, journal: RunJournal, trash: Trash | undefined) {
    this.#inner = inner;
    this.#notes = new NotedChanges(journal, inner, trash !== undefined);
    this.#trash = trash;
    this.#dirs = journal.dirsOf(inner);
  }

  layer(): Layer {
    const inner = this.#inner;
    const { purge: _purge, ...withoutPurge } = inner.can;
    // File by file, into the trash.
    const can = this.#trash === undefined ? inner.can : withoutPurge;
    return {
      ...(this.#dirs && this.#learning(this.#dirs)),
      write: (source, op) => {
        const { path, size = -1, modTime, replaces } = source;
        if (isTrialPath(path)) return inner.write(source, op);
        const asked = replaces === undefined ? op : { ...op, change: { replaces, ...op.change } };
        return this.#write(path, facts(size, modTime), asked, (own) =>
          writeOnlyOver(inner, source, own),
        );
      },
      delete: (file, op) => this.#delete(file, op, (own) => inner.delete(file, own)),
      makeDir: (dir, op) => this.#inDirs(dir, op, () => inner.makeDir(dir, op)),
      deleteDir: (dir, op) => this.#deleteDir(dir, op, () => inner.deleteDir(dir, op)),
      can: { ...can, ...this.#writing(), ...this.#timing(), ...this.#deleting(can) },
    };
  }

  #learning(dirs: DirsBefore): Layer {
    const inner = this.#inner;
    return {
      listPage: async (dir, cursor, op) => {
        const page = await inner.listPage(dir, cursor, op);
        dirs.learn(dir, page);
        return page;
      },
      stat: async (path, op) => {
        const entry = await inner.stat(path, op);
        if (entry !== undefined) dirs.see(entry);
        return entry;
      },
    };
  }

  #writing(): Capabilities {
    const [inner, dirs, notes] = [this.#inner, this.#dirs, this.#notes];
    const { copyFrom, moveFrom, moveDirFrom, listDirs, restoring } = inner.can;
    return {
      ...(copyFrom && {
        copyFrom: (from, file, path, op, keep) =>
          this.#write(path, facts(file.size, file.modTime), op, (own) =>
            workOnlyOver(inner, path, own, () => copyFrom(from, file, path, own, keep)),
          ),
      }),
      ...(moveFrom && {
        moveFrom: async (from, file, path, op, keep) => {
          const work = (own: Op) =>
            workOnlyOver(inner, path, own, () => moveFrom(from, file, path, own, keep));
          return this.#write(path, file, op, work, await notes.from(from, file.path, op));
        },
      }),
      ...(moveDirFrom && {
        moveDirFrom: (from, dir, path, op) =>
          this.#inDirs(parentPath(path), op, async () => {
            const left = await notes.from(from, dir, op);
            const change = { do: 'move', path, dir: true, from: left } as const;
            const work = () => moveDirFrom(from, dir, path, op);
            const isMoved = await notes.make(change, op, work, (ok) => ({ ok }), true);
            dirs?.forget('');
            return isMoved;
          }),
      }),
      ...(restoring && {
        restoring: {
          ...restoring,
          restore: async (job, op) => {
            const { path, old, current } = job;
            const made = (await this.#enter(parentPath(path), op)) ?? [];
            const before = current === undefined ? 'create' : 'replace';
            const replaced = current === undefined ? {} : { old: markOf(current) };
            const change = { do: before, path, ...replaced, new: markOf(old) } as const;
            const work = (own: Op) => restoring.restore(job, own);
            const done = (file: FileEntry) => difference(old, file);
            return this.#making(made, () => notes.make(change, op, work, done));
          },
        },
      }),
      ...(listDirs &&
        dirs && {
          listDirs: async (op) => {
            const found = await listDirs(op);
            for (const [dir, page] of found ?? []) dirs.learn(dir, page);
            return found;
          },
        }),
    };
  }

  #timing(): Capabilities {
    const { readDetails, setModTime, setDirModTime, setDirMetadata } = this.#inner.can;
    const ofDir = async (path: string, time: bigint, op: Op, work: () => Promise<void>) => {
      await this.#dirs?.describe(path, op);
      const change = { do: 'set-time', path, dir: true, new: markOf(facts(-1, time)) } as const;
      return this.#notes.make(change, op, work, () => undefined);
    };
    return {
      ...(setModTime && {
        setModTime: async (file, modTime, op) => {
          const known = file.modTime === undefined ? await readDetails?.(file, op) : file;
          const expected = facts(file.size, modTime);
          const [old, after] = [markOf(known ?? file), markOf(expected)];
          const change = { do: 'set-time', path: file.path, old, new: after } as const;
          const work = (own: Op) => setModTime(file, modTime, own);
          return this.#notes.make(change, op, work, (result) => difference(expected, result));
        },
      }),
      ...(setDirModTime && {
        setDirModTime: (dir, time, op) => ofDir(dir, time, op, () => setDirModTime(dir, time, op)),
      }),
      ...(setDirMetadata && {
        setDirMetadata: (dir, metadata, time, op) =>
          ofDir(dir, time, op, () => setDirMetadata(dir, metadata, time, op)),
      }),
    };
  }

  #deleting({ deleteMany, deleteUnchanged, purge, purgeUnlisted }: Capabilities): Capabilities {
    return {
      ...(purge && {
        purge: async (dir, op) => {
          if (dir !== '') await this.#dirs?.touch(parentPath(dir), op);
          const change = { do: 'delete', path: dir, dir: true } as const;
          const work = (own: Op) => purge(dir, own);
          await this.#notes.make(change, op, work, () => undefined, true);
          this.#dirs?.forget(dir);
        },
      }),
      ...(purgeUnlisted && {
        purgeUnlisted: (dir, op) => this.#deleteDir(dir, op, () => purgeUnlisted(dir, op)),
      }),
      ...(deleteUnchanged && {
        deleteUnchanged: (file, op) => this.#delete(file, op, (own) => deleteUnchanged(file, own)),
      }),
      ...(deleteMany && { deleteMany: (files, op) => this.#deleteMany(files, op, deleteMany) }),
    };
  }

  /** Writes a file, or moves or copies one to its path, after the old one is kept. */
  async #write<T extends FileEntry | undefined>(
    path: string,
    expected: MarkedFile,
    op: Op,
    work: (op: Op) => Promise<T>,
    from?: ChangeLine['from'],
  ): Promise<T> {
    const known = op.change?.replaces;
    const isAsked = known === undefined || known === 'look';
    const old = isAsked ? await this.#fileAt(path, op, known !== undefined) : known;
    const trash = this.#trash;
    if (old === 'nothing') await trash?.refuseLink(path, op);
    const entering = this.#enter(parentPath(path), op);
    const made = entering && (await entering);
    const written = old === 'nothing' ? 'create' : 'replace';
    const deed: JournalVerb = from === undefined ? written : 'move';
    const kept = typeof old === 'object' ? await this.#keeping(old, 'replaced', op) : undefined;
    const change = {
      ...{ do: deed, path, ...(from && { from }) },
      ...(old === 'nothing' ? {} : { old: old === 'unknown' ? old : markOf(old) }),
      new: markOf(expected),
      ...(kept && { kept }),
    } as const;
    const keep = kept?.in === 'trash' && typeof old === 'object' ? kept.path : undefined;
    const writing = trash
      ? async (own: Op) => work(await keepReplaced(this.#inner, trash, old, keep, own))
      : work;
    const deletes = from !== undefined || old !== 'nothing';
    const done = (file: T) => difference(expected, file);
    const make = () => this.#notes.make(change, op, writing, done, deletes);
    return made === undefined ? make() : this.#making(made, make);
  }

  async #delete(file: FileEntry, op: Op, work: (op: Op) => Promise<void>): Promise<void> {
    if (isTrialPath(file.path)) return work(op);
    const kept = await this.#keeping(file, 'deleted', op);
    await this.#dirs?.touch(parentPath(file.path), op);
    const [old, more] = [markOf(file), kept && { kept }];
    const change = { do: 'delete', path: file.path, old, ...more } as const;
    const path = kept?.in === 'trash' ? kept.path : undefined;
    const deleting = async (own: Op) => {
      if (path === undefined) await work(own);
      else await this.#trash?.moveIn(file, path, op);
    };
    await this.#notes.make(change, op, deleting, () => undefined, true);
  }

  async #deleteMany(
    files: readonly FileEntry[],
    op: Op,
    deleteMany: NonNullable<Capabilities['deleteMany']>,
  ): Promise<ReadonlyMap<FileEntry, Error>> {
    const kept = await Promise.all(files.map((file) => this.#keeping(file, 'deleted', op)));
    for (const { path } of files) await this.#dirs?.touch(parentPath(path), op);
    const numbers = files.map((file, index) => {
      const where = kept[index];
      const more = where === undefined ? {} : { kept: where };
      return this.#notes.begin({ do: 'delete', path: file.path, old: markOf(file), ...more });
    });
    await this.#notes.written(true);
    const told = new Map<string, KeptAs>();
    const failures = new Map<FileEntry, Error>();
    const paths = new Map(files.map((file, index) => [file, kept[index]] as const));
    const left: FileEntry[] = [];
    for (const file of files) if (paths.get(file)?.in !== 'trash') left.push(file);
    if (this.#trash !== undefined) {
      const doomed = files.flatMap((file) => {
        const where = paths.get(file);
        return where?.in === 'trash' ? [{ file, path: where.path }] : [];
      });
      for (const [file, error] of await this.#trash.moveMany(doomed, op)) failures.set(file, error);
    }
    if (left.length > 0) {
      for (const [file, error] of await deleteMany(left, withKept(op, told)))
        failures.set(file, error);
    }
    files.forEach((file, index) => {
      const result = failures.has(file) ? { ok: false } : undefined;
      this.#notes.done(numbers[index] ?? 0, withKeptFile(result, told.get(file.path)));
    });
    return failures;
  }

  async #deleteDir(dir: string, op: Op, work: () => Promise<void>): Promise<void> {
    const dirs = this.#dirs;
    // It reports that the directory is missing.
    if ((await dirs?.exists(dir, op)) === false) return work();
    await dirs?.describe(dir, op);
    if (dir !== '') await dirs?.touch(parentPath(dir), op);
    const change = { do: 'remove-dir', path: dir } as const;
    const removing = () =>
      work().catch(async (thrown) => {
        // What is left is what was deleted.
        if (!hasCode(thrown, 'not-empty') || !(await this.#hasOnlyTrash(dir, op))) throw thrown;
        return 'kept' as const;
      });
    const left = (result: unknown) => (result === 'kept' ? { ok: false } : undefined);
    const result = await this.#notes.make(change, op, removing, left, true);
    if (result !== 'kept') dirs?.forget(dir);
  }

  async #hasOnlyTrash(dir: string, op: Op): Promise<boolean> {
    if (this.#trash === undefined || dir !== '') return false;
    const { entries } = await this.#inner.listPage(dir, undefined, op);
    return entries.length > 0 && entries.every(({ path }) => isOwnName(path));
  }

  /** Creates a directory, or something in it, and notes the directories that are new. */
  async #inDirs<T>(dir: string, op: Op, work: () => Promise<T>): Promise<T> {
    const made = (await this.#enter(dir, op)) ?? [];
    await this.#notes.written();
    return this.#making(made, work);
  }

  /** Before something is created in a directory: notes its time, or that it is created. `undefined`: all is noted. */
  #enter(dir: string, op: Op): Promise<readonly MadeDir[]> | undefined {
    const dirs = this.#dirs;
    return dirs === undefined || dirs.isNoted(dir) ? undefined : this.#noteDir(dirs, dir, op);
  }

  async #noteDir(dirs: DirsBefore, dir: string, op: Op): Promise<readonly MadeDir[]> {
    const note = (path: string) => this.#notes.begin({ do: 'make-dir', path });
    const made = (await dirs.missing(dir, note, op)) ?? [];
    await dirs.touch(dir, op);
    return made;
  }

  /** Does work that creates these directories too. If it fails, which of them exist is unknown. */
  async #making<T>(made: readonly MadeDir[], work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      for (const { n } of made) this.#notes.done(n);
      return result;
    } catch (thrown) {
      if (made[0] !== undefined) this.#dirs?.forget(made[0].dir);
      throw thrown;
    }
  }

  /** The file at a path that the engine did not list; only looked up where that is cheap, or the file must be kept. */
  async #fileAt(
    path: string,
    op: Op,
    isAsked: boolean,
  ): Promise<FileEntry | 'nothing' | 'unknown'> {
    if (!isAsked && !this.#inner.traits.onDisk && this.#trash === undefined) return 'unknown';
    const entry = await this.#inner.stat(path, op);
    return entry?.kind === 'file' ? entry : 'nothing';
  }

  /** Where a file that is deleted or replaced will be. */
  async #keeping(
    file: FileEntry,
    why: 'deleted' | 'replaced',
    op: Op,
  ): Promise<ChangeLine['kept']> {
    const elsewhere = this.#notes.keptAt(op);
    if (elsewhere !== undefined || this.#trash === undefined) return elsewhere;
    const place = await this.#trash.placeFor(file, why, op);
    // The trash is created in it.
    if (place !== undefined) await this.#dirs?.touch('', op);
    return place;
  }
}

function facts(size: number, modTime: bigint | undefined): MarkedFile {
  return modTime === undefined ? { size } : { size, modTime };
}
