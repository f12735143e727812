import fs from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { KeptAs } from '../../core/change-details.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { fnv1a } from '../../core/fnv1a.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { RunSum } from '../../state/runs.ts';
import { writeNow } from '../../system/file-bytes.ts';
import { rootOf } from '../../system/fs-path.ts';
import { makeFolderSync } from '../../system/make-folder.ts';
import type { DirsBefore } from './dirs-before.ts';
import type {
  ChangeLine,
  CreatedLine,
  DirLine,
  DoneLine,
  FileMark,
  JournalVerb,
  MarkedFile,
  NewFileMark,
  PlaceLine,
} from './journal-line.ts';
import type { Trash } from './trash.ts';

export interface RunJournal {
  readonly file: JournalFile;
  /** What is known about the directories of a remote before the run; `undefined` if it has no real ones. */
  dirsOf(remote: Remote): DirsBefore | undefined;
}

/** A change, without its number and place. */
export type Change = Omit<ChangeLine, 'n' | 'place'>;

/** Numbers of changes, without those that failed. */
export interface ChangeCounts {
  readonly made: number;
  /** Whether they were made is not known. */
  readonly open: number;
}

/**
 * Writes `journal.jsonl` of a run into its folder, which only the user can read. Both appear with the first change.
 * Lines of one turn of the event loop are written by one call; a change is made when its line is written, so that a
 * killed process loses none. Never throws: a failure is reported once, and the journal ends there.
 */
export class JournalFile {
  readonly #folder: string;
  readonly #onBegin: () => void;
  readonly #onFailed: (error: Error) => void;
  readonly #trash: Remote | undefined;
  #fd: number | undefined;
  /** The error that ended the journal early. */
  failure: Error | undefined;
  /** Lines that wait, without their sums, and how many characters. */
  #waiting: string[] = [];
  #waitingLength = 0;
  /** New files without a line: they get one together. */
  #created: CreatedLine | undefined;
  /** The numbers of remotes, by their names and roots. */
  readonly #places = new Map<string, number>();
  /** The number of the last line that was written. */
  #lines = 0;
  #done: number[] = [];
  #last = 0;
  /** The size of the journal so far. */
  bytes = 0;
  #writing: Promise<void> | undefined;
  #isSynced = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #changes: Partial<Record<JournalVerb, number>> = {};
  /** Changes without a result, besides those that create a file. */
  readonly #begun = new Map<number, JournalVerb>();
  /** Changes that may lose content: whether they do, their result says. */
  readonly #atRisk = new Set<number>();
  #gone = 0;

  /**
   * @param folder that of the run: its name is the id
   * @param onBegin called before the first line is written
   * @param trash see `TrashPlan.into`
   */
  constructor(
    folder: string,
    onBegin: () => void,
    onFailed: (error: Error) => void,
    trash?: Remote,
  ) {
    this.#folder = folder;
    this.#onBegin = onBegin;
    this.#onFailed = onFailed;
    this.#trash = trash;
  }

  /** Whether there was a change. */
  get hasBegun(): boolean {
    return this.#last > 0;
  }

  /** How many changes were made, and how many have no result yet. */
  get counts(): ChangeCounts {
    const all = Object.values(this.#changes).reduce((sum, count) => sum + count, 0);
    return { made: all - this.#begun.size, open: this.#begun.size };
  }

  /** The number of a remote among those that the run changes; noted at the first call. */
  placeOf(remote: Remote): number {
    const { name, title, storeId, traits } = remote;
    const root = rootOf(remote);
    const key = `${name}\n${root}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(key, place);
    const into = this.#trash;
    this.place({
      place,
      run: basename(this.#folder),
      name,
      root,
      title,
      ...(storeId === undefined ? {} : { storeId }),
      ...(traits.linkSuffix === undefined ? {} : { links: true }),
      ...(into && {
        trash: {
          name: into.name,
          root: rootOf(into),
          ...(into.storeId === undefined ? {} : { storeId: into.storeId }),
        },
      }),
    });
    return place;
  }

  /** Notes a place before its first change, or a directory as it is. */
  place(line: PlaceLine | DirLine): void {
    this.#add(JSON.stringify(line));
  }

  /** Notes a change; returns its number. It may be made when `written` resolves. */
  begin(place: number, change: Change): number {
    const n = ++this.#last;
    const file = createdOf(change);
    if (file === undefined && losesContent(change)) this.#atRisk.add(n);
    this.#changes[change.do] = (this.#changes[change.do] ?? 0) + 1;
    if (change.do !== 'create') this.#begun.set(n, change.do);
    if (this.failure !== undefined) return n;
    if (file === undefined) {
      this.#add(`{"n":${n},"place":${place},${JSON.stringify(change).slice(1)}`);
      if (this.#waitingLength > 1024 * 1024) this.#write();
      return n;
    }
    if (this.#created?.place !== place) this.#endCreated();
    this.#created ??= { n, place, created: [] };
    this.#created.created.push(file);
    return n;
  }

  #endCreated(): void {
    const line = this.#created;
    this.#created = undefined;
    if (line !== undefined) this.#add(JSON.stringify(line));
  }

  /** Resolves when all lines so far are written. */
  written(): Promise<void> {
    // After what else the same turn begins: its lines are written by the same call.
    this.#writing ??= turn().then(() => {
      this.#writing = undefined;
      this.#write();
    });
    return this.#writing;
  }

  /** As `written`, and what is written survives a power cut: called before the first deletion. */
  synced(): Promise<void> {
    const writing = this.written();
    if (this.#isSynced) return writing;
    return writing.then(() => {
      if (this.#isSynced) return;
      this.#isSynced = true;
      this.#sync();
    });
  }

  /** Notes the result of a change; of one that went as noted the number is enough. */
  done(n: number, result?: Omit<DoneLine, 'n'>): void {
    const deed = this.#begun.get(n) ?? 'create';
    this.#begun.delete(n);
    // What failed and left a file has changed something.
    const isNone = result?.ok === false && result.new === undefined;
    if (isNone) this.#changes[deed] = (this.#changes[deed] ?? 1) - 1;
    if (this.#atRisk.delete(n) && !isNone && result?.kept === undefined) this.#gone++;
    if (this.failure !== undefined) return;
    if (result === undefined) this.#done.push(n);
    else this.#add(JSON.stringify({ n, ...result }));
    // It waits for the next line, but not long.
    if (this.#waitingLength > 64 * 1024) this.#write();
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#write();
      }, 10).unref();
  }

  get sum(): RunSum {
    const gone = this.#gone + this.#atRisk.size;
    const sum = { changes: this.#changes, gone };
    return this.failure === undefined ? sum : { ...sum, isCut: true };
  }

  /** Ends the journal; does nothing if there was no change. */
  close(): void {
    if (!this.hasBegun) return;
    clearTimeout(this.#timer);
    this.#write('{"end":true}');
    this.#sync();
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #add(json: string): void {
    this.#endCreated();
    this.#waiting.push(json);
    this.#waitingLength += json.length;
  }

  #write(last?: string): void {
    this.#endCreated();
    if (this.#done.length > 0) this.#add(`{"done":[${this.#done.join()}]}`);
    if (last !== undefined) this.#add(last);
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#done = [];
    let text = '';
    for (const json of lines) {
      const rest = json.slice(1);
      const number = ++this.#lines;
      // The sum fits no changed byte; by the number, lines that are missing, repeated or swapped are found.
      text += `{"sum":[${fnv1a(rest, number)},${number}],${rest}\n`;
    }
    if (this.failure !== undefined) return;
    try {
      if (this.bytes === 0) {
        makeFolderSync(this.#folder, 0o700);
        this.#onBegin();
      }
      this.#fd ??= fs.openSync(join(this.#folder, 'journal.jsonl'), 'ax', 0o600);
      const bytes = Buffer.from(text);
      // On a full disk a write can end half-way without an error: the next one then reports it.
      writeNow(this.#fd, bytes);
      this.bytes += bytes.length;
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** What is written survives a power cut. */
  #sync(): void {
    if (this.failure !== undefined) return;
    try {
      if (this.#fd !== undefined) fs.fdatasyncSync(this.#fd);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.failure = thrown as Error;
    this.#onFailed(this.failure);
  }
}

/** The new file that a change creates, if its line has nothing else. */
function createdOf(change: Change): NewFileMark | undefined {
  const { do: deed, path, from, dir, was, old, new: after, kept } = change;
  const isPlain = deed === 'create' && !from && !dir && !was && !old && !kept;
  if (!isPlain || after?.time === undefined) return undefined;
  const { size, time, etag, version, id } = after;
  return etag === undefined && version === undefined && id === undefined
    ? [path, size, time]
    : undefined;
}

/** Whether a change destroys content, as far as it is noted before it is made. */
function losesContent(change: Change): boolean {
  const { do: deed, old, kept, dir } = change;
  const isHarmless = deed === 'set-time' || deed === 'make-dir' || deed === 'remove-dir';
  if (kept !== undefined || isHarmless) return false;
  return deed === 'delete' ? old !== undefined || dir === true : old !== undefined && dir !== true;
}

/** The changes of one remote, each noted before it is made and completed after it. */
export class NotedChanges {
  readonly inner: Remote;
  /** Absent if the remote has no real directories. */
  readonly dirs: DirsBefore | undefined;
  protected readonly journal: RunJournal;
  readonly #trash: Trash | undefined;
  #ownPlace: number | undefined;

  constructor(inner: Remote, journal: RunJournal, trash: Trash | undefined) {
    this.inner = inner;
    this.#trash = trash;
    this.dirs = journal.dirsOf(inner);
    this.journal = journal;
  }

  /** Absent without `--trash`; with it a change that cannot be noted is not made. */
  get trash(): Trash | undefined {
    return this.#trash?.isOn === true ? this.#trash : undefined;
  }

  /** Notes a change; returns its number. It may be made when `written`, or for a deletion `synced`, resolves. */
  begin(change: Change): number {
    this.#ownPlace ??= this.journal.file.placeOf(this.inner);
    return this.journal.file.begin(this.#ownPlace, change);
  }

  /** Resolves when all noted changes may be made. Rejects with `fatal` if the journal must work and does not. */
  async written(deletes = false): Promise<void> {
    const { file } = this.journal;
    await (deletes ? file.synced() : file.written());
    if (file.failure !== undefined) this.#assertWritten(file.failure);
  }

  #assertWritten(failure: Error): void {
    if (this.trash === undefined) return;
    const text = `cannot write the history of this run, which --trash needs: ${failure.message}`;
    throw new SyncerError('fatal', text, { cause: failure });
  }

  done(n: number, result?: Omit<DoneLine, 'n'>): void {
    this.journal.file.done(n, result);
  }

  /** Notes a change, makes it and notes its result: `done` says what differs from what was noted, if anything can. */
  async make<T>(
    change: Change,
    op: Op,
    work: (op: Op) => Promise<T>,
    done?: (result: T) => Omit<DoneLine, 'n'> | undefined,
    deletes = false,
  ): Promise<T> {
    const { file } = this.journal;
    const n = this.begin(change);
    await (deletes ? file.synced() : file.written());
    if (file.failure !== undefined) this.#assertWritten(file.failure);
    let own = op;
    let keptBy: KeptAs | undefined;
    if (this.inner.can.restoring !== undefined) {
      const onKept = (path: string, how: KeptAs) => {
        if (path === change.path) keptBy = how;
      };
      own = { ...op, change: { ...op.change, onKept } };
    }
    try {
      const result = await work(own);
      const noted = done?.(result);
      const known = change.kept;
      // Not if it is kept in a surer place: a recycle bin may be emptied, versions expire.
      const isSurer = known?.in === 'trash' || (known !== undefined && keptBy?.in === 'bin');
      if (keptBy === undefined || isSurer) file.done(n, noted);
      else file.done(n, { ok: true, ...noted, kept: keptBy });
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

  /**
   * Moves a directory whole. Its files are noted right before it, as moved too (`filesOfMoves`): undo looks at each. The
   * directory has their size, in bytes; without one they are not noted.
   */
  async moveFiles(
    change: Change & { readonly do: 'move'; readonly from: NonNullable<ChangeLine['from']> },
    files: readonly FileEntry[] | undefined,
    op: Op,
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    const { path: to, from } = change;
    const numbers = files?.map((file) => {
      const path = joinPath(to, file.path.slice(from.path === '' ? 0 : from.path.length + 1));
      const left = { place: from.place, path: file.path };
      return this.begin({ do: 'move', path, from: left, new: markOf(file) });
    });
    const size = files?.reduce((sum, file) => sum + Math.max(0, file.size), 0);
    const whole = size === undefined ? change : { ...change, new: { size } };
    let isMoved = false;
    try {
      isMoved = await this.make(whole, op, work, (ok) => ({ ok }), true);
    } finally {
      for (const n of numbers ?? []) this.done(n, isMoved ? undefined : { ok: false });
    }
    return isMoved;
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
}

/** Errors of requests that the server may have carried out. */
const WITHOUT_RESPONSE = ['network', 'body-cut', 'timed-out', 'server', 'bad-answer'] as const;

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
