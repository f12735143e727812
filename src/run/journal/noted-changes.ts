import type { KeptAs } from '../../core/change-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { mapAtOnce } from '../../core/map-at-once.ts';
import { foldName } from '../../core/name-order.ts';
import { isOwnEntry, isTrialPath } from '../../core/own-names.ts';
import type { Deletion, FileEntry, Op, Remote } from '../../core/remote.ts';
import { type DeleteFailures, deleteOne, readPages } from '../../core/remote-calls.ts';
import { foldPath, parentPath } from '../../core/remote-path.ts';
import type { DirsBefore } from './dirs-before.ts';
import type { JournalFile } from './journal-file.ts';
import type { ChangeLine, DoneLine, FileMark, KeptFile, MarkedFile } from './journal-line.ts';
import type { Trash } from './trash.ts';

/** The journal of a run, and its places. */
export interface RunJournal {
  readonly file: JournalFile;
  /** The number of a remote among those that the run changes; noted at the first call. */
  placeOf(remote: Remote): number;
  /** What is known about the directories of a remote before the run; `undefined` if it has no real ones. */
  dirsOf(remote: Remote): DirsBefore | undefined;
}

/** A change, without its number and place. */
export type Change = Omit<ChangeLine, 'n' | 'place'>;

/** The changes of one remote, each noted before it is made and completed after it. */
export class NotedChanges {
  readonly inner: Remote;
  /** Absent without `--trash`; with it a change that cannot be noted is not made. */
  readonly trash: Trash | undefined;
  /** Absent if the remote has no real directories. */
  readonly dirs: DirsBefore | undefined;
  readonly #journal: RunJournal;
  #ownPlace: number | undefined;

  constructor(inner: Remote, journal: RunJournal, trash: Trash | undefined) {
    this.inner = inner;
    this.trash = trash;
    this.dirs = journal.dirsOf(inner);
    this.#journal = journal;
  }

  /** Notes a change; returns its number. It may be made when `written`, or for a deletion `synced`, resolves. */
  begin(change: Change): number {
    this.#ownPlace ??= this.#journal.placeOf(this.inner);
    return this.#journal.file.begin(this.#ownPlace, change);
  }

  /** Resolves when all noted changes may be made. Rejects with `fatal` if the journal must work and does not. */
  async written(deletes = false): Promise<void> {
    const { file } = this.#journal;
    await (deletes ? file.synced() : file.written());
    if (file.failure !== undefined) this.#assertWritten(file.failure);
  }

  #assertWritten(failure: Error): void {
    if (this.trash === undefined) return;
    const text = `cannot write the history of this run, which --trash needs: ${failure.message}`;
    throw new SyncerError('fatal', text, { cause: failure });
  }

  done(n: number, result?: Omit<DoneLine, 'n'>): void {
    this.#journal.file.done(n, result);
  }

  /** Notes a change, makes it and notes its result: `done` says what differs from what was noted. */
  async make<T>(
    change: Change,
    op: Op,
    work: (op: Op) => Promise<T>,
    done: (result: T) => Omit<DoneLine, 'n'> | undefined,
    deletes = false,
  ): Promise<T> {
    const { file } = this.#journal;
    const n = this.begin(change);
    await (deletes ? file.synced() : file.written());
    if (file.failure !== undefined) this.#assertWritten(file.failure);
    const kept = this.inner.can.restoring && new Map<string, KeptAs>();
    try {
      const result = await work(kept === undefined ? op : withKept(op, kept));
      const keptBy = kept?.get(change.path);
      const noted = done(result);
      const known = change.kept;
      // Not if it is kept in a surer place: a recycle bin may be emptied, versions expire.
      const isSurer = known?.in === 'trash' || (known !== undefined && keptBy?.in === 'bin');
      file.done(n, isSurer ? noted : withKeptFile(noted, keptBy));
      return result;
    } catch (thrown) {
      const { traits } = this.inner;
      // A change that failed may have been made, or a part of it: its result stays unknown.
      const mayBeDone =
        change.do === 'delete' && change.dir === true
          ? !hasCode(thrown, 'directory-not-found', 'not-a-directory')
          : !traits.onDisk && (op.signal.aborted || hasCode(thrown, ...WITHOUT_RESPONSE));
      if (!mayBeDone) {
        const left = hasCode(thrown, 'metadata') ? await this.#leftBy(change, op) : undefined;
        file.done(n, left === undefined ? { ok: false } : { ok: false, new: left });
      }
      throw thrown;
    }
  }

  /** The file of a change that failed for its metadata only: undo recognizes it. The old file may be there still. */
  async #leftBy({ path, dir, old }: Change, op: Op): Promise<FileMark | undefined> {
    if (dir === true) return undefined;
    const entry = await this.inner.stat(path, op).catch(() => undefined);
    if (entry?.kind !== 'file') return undefined;
    const mark = markOf(entry);
    const { size, time, etag } = old === undefined || old === 'unknown' ? {} : old;
    return size === mark.size && time === mark.time && etag === mark.etag ? undefined : mark;
  }

  /** The place and path of a file or directory that is moved, after a note of the time of its directory. */
  async from(
    remote: Remote,
    moved: Pick<FileEntry, 'path' | 'storedPath'>,
    op: Op,
  ): Promise<NonNullable<ChangeLine['from']>> {
    const path = ownPath(moved);
    await this.#journal.dirsOf(remote)?.touch(parentPath(path), op);
    return { place: this.#journal.placeOf(remote), path };
  }

  /** Whether a path of another place or this one is only `path` in other letters, where these are one name. */
  isOneName(from: NonNullable<ChangeLine['from']>, path: string): boolean {
    if (from.place !== this.#journal.placeOf(this.inner)) return false;
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
      return { in: 'place', place: this.#journal.placeOf(keptAt.remote), path: keptAt.path };
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
    await this.make(change, op, deleting, () => undefined, true);
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
      for (const [file, error] of await inner.delete(left, withKept(op, told), how))
        failures.set(file, error);
    }
    files.forEach((file, index) => {
      const result = failures.has(file) ? { ok: false } : undefined;
      this.done(numbers[index] ?? 0, withKeptFile(result, told.get(file.path)));
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

/** Errors of requests that the server may have carried out. */
const WITHOUT_RESPONSE = ['network', 'body-cut', 'timed-out', 'server', 'bad-answer'] as const;

/** The path of a file in the letters of its server. */
export function ownPath({
  path,
  storedPath = path,
}: Pick<FileEntry, 'path' | 'storedPath'>): string {
  return foldName(storedPath) === foldName(path) ? storedPath : path;
}

function withKept(op: Op, kept: Map<string, KeptAs>): Op {
  const onKept = (path: string, how: KeptAs) => void kept.set(path, how);
  return { ...op, change: { ...op.change, onKept } };
}

function withKeptFile(
  result: Omit<DoneLine, 'n'> | undefined,
  kept: KeptAs | undefined,
): Omit<DoneLine, 'n'> | undefined {
  return kept === undefined ? result : { ok: true, ...result, kept };
}

/** The mark of a file, as it is written. */
export function markOf({ size, modTime, etag, version, id }: MarkedFile): FileMark {
  const mark: { -readonly [Member in keyof FileMark]: FileMark[Member] } = { size };
  if (modTime !== undefined) mark.time = String(modTime);
  if (etag !== undefined) mark.etag = etag;
  if (version !== undefined) mark.version = version;
  if (id !== undefined) mark.id = id;
  return mark;
}

/** The result for a file that differs from the expected one; `undefined` if it does not. */
export function difference(
  expected: MarkedFile,
  file: FileEntry | undefined,
): Omit<DoneLine, 'n'> | undefined {
  if (file === undefined) return { ok: false };
  const { size, modTime, etag, version, id } = file;
  const isPlain = etag === undefined && version === undefined && id === undefined;
  const isExpected = isPlain && size === expected.size && modTime === expected.modTime;
  return isExpected ? undefined : { ok: true, new: markOf(file) };
}
