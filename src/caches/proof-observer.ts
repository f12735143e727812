import { layersOf } from '../core/around.ts';
import type { FailedWrite } from '../core/change-details.ts';
import type { Context } from '../core/context.ts';
import { defined } from '../core/defined.ts';
import { type SyncerError, toSyncerError } from '../core/errors.ts';
import { type ModTime, modTimeFromMs, modTimeToMs, writtenSince } from '../core/mod-time.ts';
import type { BegunWrite, Observer, WriteKind } from '../core/observed.ts';
import { once } from '../core/once.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { isWithin, joinPath, pathBelow } from '../core/remote-path.ts';
import { isUntouched } from '../core/same-content.ts';
import { Notes, type NotesOf } from '../state/notes.ts';

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
  const { clock } = context;
  const { finish, before } = takingBack(remote, notes, context);
  /** The write that returned each file. */
  const begun = new WeakMap<FileEntry, BegunWrite>();
  const saw = (entry: Entry): Entry => {
    if (notes.all.length === 0 || entry.kind === 'dir') return entry;
    const isWrong = notes
      .at(joinPath(remote.root, entry.path))
      .some(({ id, etag, size }) =>
        id === undefined
          ? etag === entry.etag && (etag !== undefined || size === entry.size)
          : id === entry.id,
      );
    return isWrong ? { ...entry, isWrong: true } : entry;
  };
  /** What was written or deleted is no longer the noted file. */
  const gone = async ({ path }: FileEntry) => {
    if (notes.all.length === 0) return;
    for (const note of notes.at(joinPath(remote.root, path))) await notes.erase(note);
  };
  const takeNotes = async (file: FileEntry, { from }: BegunWrite) => {
    await gone(file);
    const moved = from === undefined ? [] : notesBelow(from.remote, from.path);
    for (const note of moved) await notes.add({ ...note, ...noteOf(remote, file) });
  };
  return {
    writes: ['write', 'copy', 'move', ...CHANGES_ONLY],
    page: (page) =>
      notes.all.length === 0 ? page : { ...page, entries: page.entries.map((entry) => saw(entry)) },
    saw,
    before,
    wrote(file, write) {
      begun.set(file, write);
      // Nothing to wait for: so it is for each small file.
      return notes.all.length === 0 && write.from === undefined
        ? undefined
        : takeNotes(file, write);
    },
    /** One by one, so that wrong files are not confused with right ones. */
    async mayMoveDir(from, dir) {
      await before();
      return notesBelow(from, dir).length === 0;
    },
    gone,
    async goneBelow(dir) {
      const place = joinPath(remote.root, dir);
      const noted = notes.all.filter(({ path }) => isWithin(place, path));
      for (const note of noted) await notes.erase(note);
    },
    /** Notes a wrong file and undoes its write, unless nothing was written. Never rejects. */
    async undo(file, write = begun.get(file)) {
      if (isUntouched(file, write?.replaced)) return;
      const since =
        write === undefined
          ? undefined
          : writtenSince(file.toldAt, clock.monotonic() - write.startMs);
      const isOnly = write && CHANGES_ONLY.includes(write.kind) ? (true as const) : undefined;
      const { size, etag, version, toldAt, storedTime } = file;
      const path = joinPath(remote.root, file.path);
      const stored = storedTime === undefined ? undefined : String(storedTime);
      const isKnown = (note: ProofNote) =>
        note.etag === etag &&
        note.size === size &&
        note.version === version &&
        note.storedTime === stored;
      const known = notes.at(path).find(isKnown);
      const note: ProofNote = known ?? {
        ...noteOf(remote, file),
        ...defined({
          sinceMs: since === undefined ? undefined : modTimeToMs(since),
          untilMs: toldAt === undefined ? undefined : modTimeToMs(toldAt),
          storedTime: stored,
          isOnly,
        }),
      };
      if (known === undefined) await notes.add(note);
      await finish(note, file.path);
    },
  };
}

const notesOf = new WeakMap<Remote, Notes<ProofNote>>();

/** The last copy of a file is changed by these. */
const CHANGES_ONLY: readonly WriteKind[] = ['set-time', 'set-tier'];

/** Undoes the writes of notes, and deletes these. */
function takingBack(inner: Remote, notes: Notes<ProofNote>, { emit }: Pick<Context, 'emit'>) {
  /** What is undone now. */
  const finishing = new Map<ProofNote, Promise<void>>();
  const tell = (path: string, why: SyncerError | 'only-copy') =>
    emit({ type: 'log', level: 'error', path, code: 'wrong-content-kept', fields: { why } });
  const takeBack = async (note: ProofNote, path: string) => {
    const { size, etag, version, modTime, sinceMs, untilMs, storedTime, isOnly, id, hashes } = note;
    if (isOnly === true && version === undefined) return tell(path, 'only-copy');
    const file: FileEntry = {
      kind: 'file',
      path,
      size,
      ...defined({ etag, version, id, hashes }),
      ...defined({ modTime: timeOf(modTime), storedTime: timeOf(storedTime) }),
      ...(untilMs === undefined ? {} : { toldAt: modTimeFromMs(untilMs) }),
    };
    // The content before must not be that of another failed write.
    const noted = notes.at(note.path);
    const sinces = noted.flatMap((each) => each.sinceMs ?? []);
    const first = sinceMs === undefined ? undefined : Math.min(sinceMs, ...sinces);
    const failed: FailedWrite = {
      ...(sinceMs === undefined ? {} : { since: modTimeFromMs(sinceMs) }),
      ...(first === undefined || noted.length < 2 ? {} : { firstSince: modTimeFromMs(first) }),
    };
    // Also while the run ends.
    const op = { signal: AbortSignal.timeout(30_000) };
    try {
      await inner.can.takeBack?.(file, failed, op);
      await notes.erase(note);
    } catch (error) {
      tell(path, toSyncerError(error));
    }
  };
  /** Undoes the write of a note: once, and after others of its file, which may be half done. */
  const finish = (note: ProofNote, path: string) => {
    const running = finishing.get(note);
    if (running !== undefined) return running;
    const others = [...finishing].filter(([other]) => other.path === note.path);
    const undo = async () => {
      await Promise.all([notes.added(note), ...others.map(([, end]) => end)]);
      if (notes.at(note.path).includes(note)) await takeBack(note, path);
    };
    const end = undo().finally(() => finishing.delete(note));
    finishing.set(note, end);
    return end;
  };
  const settled = once(async () => {
    for (const note of [...notes.all]) {
      const path = pathBelow(inner.root, note.path);
      if (path !== undefined) await finish(note, path);
    }
  });
  /** Undoes the writes that earlier runs could not undo. */
  const before = () => (notes.all.length === 0 ? undefined : settled());
  return { finish, before };
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
