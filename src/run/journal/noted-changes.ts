import type { KeptAs } from '../../core/change-details.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { foldName } from '../../core/name-order.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { foldPath, parentPath } from '../../core/remote-path.ts';
import type { DirsBefore } from './dirs-before.ts';
import type { JournalFile } from './journal-file.ts';
import type { ChangeLine, DoneLine, FileMark, KeptFile, MarkedFile } from './journal-line.ts';

/** The journal of a run, and its places. */
export interface RunJournal {
  readonly file: JournalFile;
  /** The number of a remote among those that the run changes; noted at the first call. */
  placeOf(remote: Remote): number;
  /** What is known about the directories of a remote before the run; `undefined` if it has no real ones. */
  dirsOf(remote: Remote): DirsBefore | undefined;
}

/** A change, without its number and place. */
type Change = Omit<ChangeLine, 'n' | 'place'>;

/** The changes of one remote, each noted before it is made and completed after it. */
export class NotedChanges {
  readonly #journal: RunJournal;
  readonly #remote: Remote;
  readonly #mustWork: boolean;
  #ownPlace: number | undefined;

  /** @param mustWork a change that cannot be noted is not made */
  constructor(journal: RunJournal, remote: Remote, mustWork: boolean) {
    this.#journal = journal;
    this.#remote = remote;
    this.#mustWork = mustWork;
  }

  /** Notes a change; returns its number. It may be made when `written`, or for a deletion `synced`, resolves. */
  begin(change: Change): number {
    this.#ownPlace ??= this.#journal.placeOf(this.#remote);
    return this.#journal.file.begin(this.#ownPlace, change);
  }

  /** Resolves when all noted changes may be made. Rejects with `fatal` if the journal must work and does not. */
  async written(deletes = false): Promise<void> {
    const { file } = this.#journal;
    await (deletes ? file.synced() : file.written());
    if (file.failure !== undefined) this.#assertWritten(file.failure);
  }

  #assertWritten(failure: Error): void {
    if (!this.#mustWork) return;
    const text = `cannot write the history of this run, which --trash needs: ${failure.message}`;
    throw new SyncerError('fatal', text, { cause: failure });
  }

  /** Notes the result of a change. */
  done(n: number, result?: Omit<DoneLine, 'n'>): void {
    this.#journal.file.done(n, result);
  }

  /**
   * Notes a change, makes it and notes the result.
   *
   * @param done what differs from what was noted
   */
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
    const kept = this.#remote.can.restoring && new Map<string, KeptAs>();
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
      const { traits } = this.#remote;
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
    const entry = await this.#remote.stat(path, op).catch(() => undefined);
    if (entry?.kind !== 'file') return undefined;
    const mark = markOf(entry);
    const { size, time, etag } = old === undefined || old === 'unknown' ? {} : old;
    return size === mark.size && time === mark.time && etag === mark.etag ? undefined : mark;
  }

  /** Where the content of a change is kept, by what the engine says. */
  keptAt({ change }: Op): KeptFile | undefined {
    const { keptAt } = change ?? {};
    if (keptAt === undefined) return undefined;
    return { in: 'place', place: this.#journal.placeOf(keptAt.remote), path: keptAt.path };
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
    if (from.place !== this.#journal.placeOf(this.#remote)) return false;
    return foldPath(this.#remote, from.path) === foldPath(this.#remote, path);
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

/** The call with a note of what the server keeps. */
export function withKept(op: Op, kept: Map<string, KeptAs>): Op {
  const onKept = (path: string, how: KeptAs) => void kept.set(path, how);
  return { ...op, change: { ...op.change, onKept } };
}

/** The result with where the old content is kept. */
export function withKeptFile(
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
