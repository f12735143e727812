import { around, type Layer, layersOf } from '../core/around.ts';
import type { Context } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import { modTimeFromMs, modTimeToMs, writtenSince } from '../core/mod-time.ts';
import type {
  Capabilities,
  Entry,
  FailedWrite,
  FileEntry,
  Op,
  Page,
  Remote,
} from '../core/remote.ts';
import { isWithin, joinPath } from '../core/remote-path.ts';
import { isUntouched } from '../core/same-content.ts';
import { StoreNotes } from '../files/store-notes.ts';
import type { ProofNote } from './proof-note.ts';

/** Time limit for undoing a write, in milliseconds, also while the run ends. */
const TAKE_BACK_MS = 30_000;

/**
 * The remote with notes of failed writes. The file of such a write is noted and undone, and the note deleted; if that
 * fails, or the process dies, the next run that changes the remote does it. Until then listings mark the file
 * (`isWrong`), so that it equals no other. A remote that cannot undo a write is returned as it is. Throws `config` for
 * a note that cannot be read: any file may be the wrong one.
 *
 * @param folder where notes are kept; `undefined`: in memory
 */
export function withFailedProofs(
  remote: Remote,
  context: Pick<Context, 'clock' | 'emit'>,
  folder: string | undefined,
): Remote {
  const { storeId, can } = remote;
  if (can.takeBack === undefined || storeId === undefined) return remote;
  let isRead = false;
  const notes = new StoreNotes<ProofNote>(folder, storeId, (file, thrown) => {
    if (!isRead && file !== folder) throw unreadable(remote, file, thrown);
  });
  isRead = true;
  const outer = around(remote, new ProofLayer(remote, notes, context).layer());
  notesOf.set(outer, notes);
  return outer;
}

function unreadable({ title }: Remote, file: string, thrown: unknown): SyncerError {
  const why = toSyncerError(thrown).message;
  const text = `the note of a file in ${title} whose content is wrong cannot be read: ${file}: ${why}`;
  const advice = 'delete it, then find that file: check --download compares contents';
  return new SyncerError('config', text, { path: file, advice });
}

const notesOf = new WeakMap<Remote, StoreNotes<ProofNote>>();

/** A write, while its result may turn out wrong. */
interface BegunWrite {
  /** By `Clock.monotonic`. */
  readonly startMs?: number;
  /** The file that was there before, as far as it is known. */
  readonly replaced?: NonNullable<Op['change']>['replaces'];
  /** It changes the last copy. */
  readonly isOnly?: boolean;
}

class ProofLayer {
  readonly #inner: Remote;
  readonly #notes: StoreNotes<ProofNote>;
  readonly #context: Pick<Context, 'clock' | 'emit'>;
  /** The write that returned each file. */
  readonly #begun = new WeakMap<FileEntry, BegunWrite>();
  #settling: Promise<void> | undefined;

  constructor(
    inner: Remote,
    notes: StoreNotes<ProofNote>,
    context: Pick<Context, 'clock' | 'emit'>,
  ) {
    this.#inner = inner;
    this.#notes = notes;
    this.#context = context;
  }

  layer(): Layer {
    const inner = this.#inner;
    return {
      listPage: async (dir, cursor, op) => this.#marked(await inner.listPage(dir, cursor, op)),
      stat: async (path, op) => {
        const entry = await inner.stat(path, op);
        return entry && this.#mark(entry);
      },
      write: (source, op) => {
        const replaced = source.replaces ?? op.change?.replaces;
        return this.#guard(() => inner.write(source, op), { replaced });
      },
      delete: async (file, op) => {
        await inner.delete(file, op);
        this.#forget(file);
      },
      can: { ...inner.can, ...this.#telling(), ...this.#writing(), ...this.#deleting() },
    };
  }

  /** The operations that return files. */
  #telling(): Capabilities {
    const { readDetails, readDetailsWithChecksums, listTreePage, listTreeUnordered, listDirs } =
      this.#inner.can;
    const markFile = (file: FileEntry) => this.#mark(file) as FileEntry;
    const marked = (entries: readonly Entry[]) => this.#marked({ entries }).entries;
    return {
      ...(readDetails && {
        readDetails: async (file, op) => markFile(await readDetails(file, op)),
      }),
      ...(readDetailsWithChecksums && {
        readDetailsWithChecksums: async (file, op) =>
          markFile(await readDetailsWithChecksums(file, op)),
      }),
      ...(listTreePage && {
        listTreePage: async (...asked) => this.#marked(await listTreePage(...asked)),
      }),
      ...(listTreeUnordered && {
        async *listTreeUnordered(dir, atOnce, op) {
          for await (const entries of listTreeUnordered(dir, atOnce, op)) yield marked(entries);
        },
      }),
      ...(listDirs && {
        listDirs: async (op) => {
          const dirs = await listDirs(op);
          if (dirs === undefined || this.#notes.isEmpty) return dirs;
          return new Map([...dirs].map(([dir, page]) => [dir, this.#marked(page)]));
        },
      }),
    };
  }

  /** The operations that write. */
  #writing(): Capabilities {
    const { copyFrom, moveFrom, moveDirFrom, setModTime, setTier } = this.#inner.can;
    return {
      ...(copyFrom && {
        copyFrom: (from, file, path, op, keep) =>
          this.#guard(() => copyFrom(from, file, path, op, keep), {
            replaced: op.change?.replaces,
          }),
      }),
      ...(moveFrom && {
        moveFrom: async (from, file, path, op, keep) => {
          const replaced = op.change?.replaces;
          const moved = await this.#guard(() => moveFrom(from, file, path, op, keep), { replaced });
          if (moved === undefined) return undefined;
          for (const note of notesBelow(from, file.path)) {
            this.#notes.add({ ...note, ...noteOf(this.#inner, moved) });
          }
          return moved;
        },
      }),
      ...(moveDirFrom && {
        moveDirFrom: async (from, dir, path, op) => {
          if (!this.#notes.isEmpty) await this.#settle();
          // One by one, so that wrong files are not confused with right ones.
          return notesBelow(from, dir).length === 0 && moveDirFrom(from, dir, path, op);
        },
      }),
      ...(setModTime && {
        setModTime: (file, modTime, op) =>
          this.#guard(() => setModTime(file, modTime, op), { isOnly: true }),
      }),
      ...(setTier && {
        setTier: async (file, tier, op) => {
          await this.#guard(() => setTier(file, tier, op).then(() => undefined), { isOnly: true });
        },
      }),
      takeBack: (file) => this.#undo(file, this.#begun.get(file) ?? {}),
    };
  }

  /** The operations that delete. */
  #deleting(): Capabilities {
    const { deleteMany, deleteUnchanged, purge } = this.#inner.can;
    return {
      ...(deleteMany && {
        deleteMany: async (files, op) => {
          const failures = await deleteMany(files, op);
          for (const file of files) if (!failures.has(file)) this.#forget(file);
          return failures;
        },
      }),
      ...(deleteUnchanged && {
        deleteUnchanged: async (file, op) => {
          await deleteUnchanged(file, op);
          this.#forget(file);
        },
      }),
      ...(purge && {
        purge: async (dir, op) => {
          await purge(dir, op);
          const place = joinPath(this.#inner.root, dir);
          for (const note of this.#notes.all()) {
            if (isWithin(place, note.path)) this.#notes.erase(note);
          }
        },
      }),
    };
  }

  /** Runs an operation that writes a file. */
  async #guard<T extends FileEntry | undefined>(
    write: () => Promise<T>,
    about: Omit<BegunWrite, 'startMs'>,
  ): Promise<T> {
    if (!this.#notes.isEmpty) await this.#settle();
    const begun = { ...about, startMs: this.#context.clock.monotonic() };
    try {
      const written = await write();
      if (written !== undefined) {
        this.#begun.set(written, begun);
        this.#forget(written);
      }
      return written;
    } catch (error) {
      if (error instanceof SyncerError && error.wrong !== undefined) {
        await this.#undo(error.wrong, begun);
      }
      throw error;
    }
  }

  /** Notes a wrong file and undoes its write, unless nothing was written. Never rejects. */
  async #undo(file: FileEntry, { startMs, replaced, isOnly }: BegunWrite): Promise<void> {
    if (isUntouched(file, replaced)) return;
    const { clock } = this.#context;
    const since =
      startMs === undefined ? undefined : writtenSince(file.toldAt, clock.monotonic() - startMs);
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
      ...(since === undefined ? {} : { sinceMs: modTimeToMs(since) }),
      ...(toldAt === undefined ? {} : { untilMs: modTimeToMs(toldAt) }),
      ...(stored === undefined ? {} : { storedTime: stored }),
      ...(isOnly === true ? { isOnly } : {}),
    };
    if (known === undefined) this.#notes.add(note);
    await this.#finish(note, file.path);
  }

  /** Undoes the writes that earlier runs could not undo. */
  #settle(): Promise<void> {
    this.#settling ??= (async () => {
      for (const note of this.#notes.all()) {
        const path = this.#pathOf(note);
        if (path !== undefined) await this.#finish(note, path);
      }
    })();
    return this.#settling;
  }

  async #finish(note: ProofNote, path: string): Promise<void> {
    const { size, etag, version, modTime, sinceMs, untilMs, storedTime, isOnly, id, hashes } = note;
    if (isOnly === true && version === undefined) {
      return this.#tell(path, 'only-copy');
    }
    const file: FileEntry = {
      ...{ kind: 'file', path, size },
      ...(etag === undefined ? {} : { etag }),
      ...(version === undefined ? {} : { version }),
      ...(modTime === undefined ? {} : { modTime: BigInt(modTime) }),
      ...(id === undefined ? {} : { id }),
      ...(hashes === undefined ? {} : { hashes }),
      ...(storedTime === undefined ? {} : { storedTime: BigInt(storedTime) }),
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
      this.#notes.erase(note);
    } catch (error) {
      this.#tell(path, toSyncerError(error));
    }
  }

  #tell(path: string, why: SyncerError | 'only-copy'): void {
    const fields = { why };
    this.#context.emit({ type: 'log', level: 'error', path, code: 'wrong-content-kept', fields });
  }

  /** What was written or deleted is no longer the noted file. */
  #forget({ path }: FileEntry): void {
    if (this.#notes.isEmpty) return;
    for (const note of this.#notes.at(joinPath(this.#inner.root, path))) this.#notes.erase(note);
  }

  #marked(page: Page): Page {
    if (this.#notes.isEmpty) return page;
    return { ...page, entries: page.entries.map((entry) => this.#mark(entry)) };
  }

  #mark(entry: Entry): Entry {
    if (this.#notes.isEmpty || entry.kind === 'dir') return entry;
    const notes = this.#notes.at(joinPath(this.#inner.root, entry.path));
    const isWrong = notes.some(({ id, etag, size }) =>
      id === undefined
        ? etag === entry.etag && (etag !== undefined || size === entry.size)
        : id === entry.id,
    );
    return isWrong ? { ...entry, isWrong: true } : entry;
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
    .flatMap((layer) => notesOf.get(layer)?.all() ?? [])
    .filter((note) => isWithin(place, note.path));
}

/** The note for a wrong file of a remote, from its entry alone. */
function noteOf({ root }: Remote, file: FileEntry): ProofNote {
  const { size, etag, version, modTime, id, hashes } = file;
  return {
    path: joinPath(root, file.path),
    size,
    ...(etag === undefined ? {} : { etag }),
    ...(version === undefined ? {} : { version }),
    ...(modTime === undefined ? {} : { modTime: String(modTime) }),
    ...(id === undefined ? {} : { id }),
    ...(hashes === undefined ? {} : { hashes }),
  };
}
