import { layersOf } from '../core/around.ts';
import type { Context } from '../core/context.ts';
import { defined } from '../core/defined.ts';
import { type SyncerError, toSyncerError } from '../core/errors.ts';
import { type ModTime, modTimeFromMs, modTimeToMs, writtenSince } from '../core/mod-time.ts';
import type { BegunWrite, Observer, WriteKind } from '../core/observed.ts';
import type { Entry, FailedWrite, FileEntry, Page, Remote } from '../core/remote.ts';
import { isWithin, joinPath } from '../core/remote-path.ts';
import { isUntouched } from '../core/same-content.ts';
import { Notes, type NotesOf } from '../state/notes.ts';

/** Time limit for undoing a write, in milliseconds, also while the run ends. */
const TAKE_BACK_MS = 30_000;

/**
 * Notes failed writes of a remote. The file of such a write is noted and undone, and the note deleted; if that fails, or
 * the process dies, the next run that changes the remote does it. Until then listings mark the file (`isWrong`), so that
 * it equals no other. Resolves to `undefined` for a remote that cannot undo a write. Rejects with `config` for a note
 * that is damaged (`DamagedNote`): any file may be the wrong one; otherwise as `Stores.state` does.
 *
 * @param stores where notes are kept; `undefined`: in memory
 */
export async function proofObserver(
  remote: Remote,
  context: Pick<Context, 'clock' | 'emit'>,
  stores: NotesOf['stores'],
): Promise<Observer | undefined> {
  const { storeId: store, can } = remote;
  if (can.takeBack === undefined || store === undefined) return undefined;
  const notes = await Notes.open<ProofNote>({ kind: 'failed-proof', store, stores });
  notesOf.set(remote, notes);
  return new ProofObserver(remote, notes, context);
}

const notesOf = new WeakMap<Remote, Notes<ProofNote>>();

/** The last copy of a file is changed by these. */
const CHANGES_ONLY: readonly WriteKind[] = ['set-time', 'set-tier'];

class ProofObserver implements Observer {
  readonly writes: readonly WriteKind[] = ['write', 'copy', 'move', ...CHANGES_ONLY];
  readonly #inner: Remote;
  readonly #notes: Notes<ProofNote>;
  readonly #context: Pick<Context, 'clock' | 'emit'>;
  /** The write that returned each file. */
  readonly #begun = new WeakMap<FileEntry, BegunWrite>();
  #settling: Promise<void> | undefined;
  /** What is undone now. */
  readonly #finishing = new Map<ProofNote, Promise<void>>();

  constructor(inner: Remote, notes: Notes<ProofNote>, context: Pick<Context, 'clock' | 'emit'>) {
    this.#inner = inner;
    this.#notes = notes;
    this.#context = context;
  }

  page(page: Page): Page {
    if (this.#notes.all.length === 0) return page;
    return { ...page, entries: page.entries.map((entry) => this.saw(entry)) };
  }

  saw(entry: Entry): Entry {
    if (this.#notes.all.length === 0 || entry.kind === 'dir') return entry;
    const notes = this.#notes.at(joinPath(this.#inner.root, entry.path));
    const isWrong = notes.some(({ id, etag, size }) =>
      id === undefined
        ? etag === entry.etag && (etag !== undefined || size === entry.size)
        : id === entry.id,
    );
    return isWrong ? { ...entry, isWrong: true } : entry;
  }

  /** Undoes the writes that earlier runs could not undo. */
  before(): Promise<void> | undefined {
    return this.#notes.all.length === 0 ? undefined : this.#settle();
  }

  async wrote(file: FileEntry, write: BegunWrite): Promise<void> {
    this.#begun.set(file, write);
    if (this.#notes.all.length > 0) await this.gone(file);
    if (write.from === undefined) return;
    for (const note of notesBelow(write.from.remote, write.from.path))
      await this.#notes.add({ ...note, ...noteOf(this.#inner, file) });
  }

  /** One by one, so that wrong files are not confused with right ones. */
  async mayMoveDir(from: Remote, dir: string): Promise<boolean> {
    await this.before();
    return notesBelow(from, dir).length === 0;
  }

  /** What was written or deleted is no longer the noted file. */
  async gone({ path }: FileEntry): Promise<void> {
    if (this.#notes.all.length === 0) return;
    const place = joinPath(this.#inner.root, path);
    for (const note of this.#notes.at(place)) await this.#notes.erase(note);
  }

  async goneBelow(dir: string): Promise<void> {
    const place = joinPath(this.#inner.root, dir);
    const noted = this.#notes.all.filter(({ path }) => isWithin(place, path));
    for (const note of noted) await this.#notes.erase(note);
  }

  /** Notes a wrong file and undoes its write, unless nothing was written. Never rejects. */
  async undo(file: FileEntry, write = this.#begun.get(file)): Promise<void> {
    if (isUntouched(file, write?.replaced)) return;
    const { clock } = this.#context;
    const since =
      write === undefined
        ? undefined
        : writtenSince(file.toldAt, clock.monotonic() - write.startMs);
    const isOnly = write && CHANGES_ONLY.includes(write.kind) ? (true as const) : undefined;
    const { size, etag, version, toldAt, storedTime } = file;
    const path = joinPath(this.#inner.root, file.path);
    const stored = storedTime === undefined ? undefined : String(storedTime);
    const isKnown = (note: ProofNote) =>
      note.etag === etag &&
      note.size === size &&
      note.version === version &&
      note.storedTime === stored;
    const known = this.#notes.at(path).find(isKnown);
    const note: ProofNote = known ?? {
      ...noteOf(this.#inner, file),
      ...defined({
        sinceMs: since === undefined ? undefined : modTimeToMs(since),
        untilMs: toldAt === undefined ? undefined : modTimeToMs(toldAt),
        storedTime: stored,
        isOnly,
      }),
    };
    if (known === undefined) await this.#notes.add(note);
    await this.#finish(note, file.path);
  }

  #settle(): Promise<void> {
    this.#settling ??= (async () => {
      for (const note of [...this.#notes.all]) {
        const path = this.#pathOf(note);
        if (path !== undefined) await this.#finish(note, path);
      }
    })();
    return this.#settling;
  }

  /** Undoes the write of a note: once, and after others of its file, which may be half done. */
  #finish(note: ProofNote, path: string): Promise<void> {
    const running = this.#finishing.get(note);
    if (running !== undefined) return running;
    const others = [...this.#finishing].filter(([other]) => other.path === note.path);
    const finish = async () => {
      await Promise.all([this.#notes.added(note), ...others.map(([, end]) => end)]);
      if (this.#notes.at(note.path).includes(note)) await this.#takeBack(note, path);
    };
    const end = finish().finally(() => this.#finishing.delete(note));
    this.#finishing.set(note, end);
    return end;
  }

  async #takeBack(note: ProofNote, path: string): Promise<void> {
    const { size, etag, version, modTime, sinceMs, untilMs, storedTime, isOnly, id, hashes } = note;
    if (isOnly === true && version === undefined) {
      return this.#tell(path, 'only-copy');
    }
    const file: FileEntry = {
      kind: 'file',
      path,
      size,
      ...defined({ etag, version, id, hashes }),
      ...defined({ modTime: timeOf(modTime), storedTime: timeOf(storedTime) }),
      ...(untilMs === undefined ? {} : { toldAt: modTimeFromMs(untilMs) }),
    };
    // The content before must not be that of another failed write.
    const noted = this.#notes.at(note.path);
    const sinces = noted.flatMap((each) => each.sinceMs ?? []);
    const first = sinceMs === undefined ? undefined : Math.min(sinceMs, ...sinces);
    const failed: FailedWrite = {
      ...(sinceMs === undefined ? {} : { since: modTimeFromMs(sinceMs) }),
      ...(first === undefined || noted.length < 2 ? {} : { firstSince: modTimeFromMs(first) }),
    };
    const op = { signal: AbortSignal.timeout(TAKE_BACK_MS) };
    try {
      await this.#inner.can.takeBack?.(file, failed, op);
      await this.#notes.erase(note);
    } catch (error) {
      this.#tell(path, toSyncerError(error));
    }
  }

  #tell(path: string, why: SyncerError | 'only-copy'): void {
    const fields = { why };
    this.#context.emit({ type: 'log', level: 'error', path, code: 'wrong-content-kept', fields });
  }

  /** The path of a note's file below the root; `undefined` if it is outside. */
  #pathOf({ path }: ProofNote): string | undefined {
    if (this.#inner.root === '') return path;
    return path.startsWith(`${this.#inner.root}/`)
      ? path.slice(this.#inner.root.length + 1)
      : undefined;
  }
}

/** The notes of files at or below a path of a remote. */
function notesBelow(remote: Remote, path: string): readonly ProofNote[] {
  const place = joinPath(remote.root, path);
  return [...layersOf(remote)]
    .flatMap((layer) => notesOf.get(layer)?.all ?? [])
    .filter((note) => isWithin(place, note.path));
}

/** The note for a wrong file of a remote, from its entry alone. */
function noteOf({ root }: Remote, file: FileEntry): ProofNote {
  const { size, etag, version, modTime, id, hashes } = file;
  const time = modTime === undefined ? undefined : String(modTime);
  const path = joinPath(root, file.path);
  return { path, size, ...defined({ etag, version, modTime: time, id, hashes }) };
}

function timeOf(text: string | undefined): ModTime | undefined {
  return text === undefined ? undefined : BigInt(text);
}

/**
 * A remote file whose content is wrong and that was not deleted or restored when this was noted. Its path is below the
 * root of the remote.
 */
interface ProofNote
  extends Pick<FileEntry, 'path' | 'size' | 'etag' | 'version' | 'id' | 'hashes'> {
  /** The modification time sent with it, in nanoseconds since the epoch. */
  readonly modTime?: string;
  /** The earliest time it may have been written, by the server's clock, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** The time of the response that showed it, by the server's clock, in milliseconds since the epoch. */
  readonly untilMs?: number;
  /** When the server stored it, in nanoseconds since the epoch; absent if it was not looked up. */
  readonly storedTime?: string;
  /** It must not be deleted: it is the last copy of the file. */
  readonly isOnly?: true;
}
