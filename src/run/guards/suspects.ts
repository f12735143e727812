import { dirname } from 'node:path';
import { cachePath, cacheStoreOf, currentVersion } from '../../caches/hashes/hash-cache.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { pathBelow } from '../../core/remote-path.ts';
import type { FileRule } from '../../engine/rules/rule.ts';
import { Notes, type NotesOf } from '../../state/notes.ts';
import { realPath } from '../../system/fs-path.ts';

/** A file that the last scrub found suspect or could not read. */
export interface Suspect {
  /** Its path below the root of its server or disk. */
  readonly path: string;
  readonly result: 'suspect' | 'unreadable';
  readonly reason: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since the epoch. */
  readonly modTime?: string;
  /** See `ContentVersion`. */
  readonly tag?: string;
  /** Of a suspect: the recorded hashes, and those of its content when it was read last. */
  readonly was?: Hashes;
  readonly is?: Hashes;
  /** The file system that it is on (`deviceOf`); absent elsewhere. */
  readonly device?: string;
  /** When the recorded content was read. */
  readonly recordedMs?: number;
  /** A listing of a server has shown it: its content was not read. */
  readonly isListed?: true;
  /** When it was first found and last looked at, in milliseconds since the epoch. */
  readonly foundMs: number;
  readonly checkedMs: number;
  readonly runId: string;
}

/** The file system that a file is on; `undefined` if that cannot be seen. */
async function deviceNow(path: string): Promise<string | undefined> {
  // Runs with `--checksum` only look whether there are suspects.
  const { deviceOf } = await import('./device-of.ts');
  return deviceOf(dirname(path)).catch(() => undefined);
}

function listError(what: 'kept' | 'read', thrown: unknown, otherwise: string): SyncerError {
  const { message, advice = otherwise } = toSyncerError(thrown);
  return new SyncerError('config', `the list of suspect files cannot be ${what}: ${message}`, {
    advice,
  });
}

/** The suspects of one remote, kept in the state directory. */
export type Suspects = Awaited<ReturnType<typeof openSuspects>>;

/**
 * Rejects with `config` if the list is there and cannot be read: then any file may be on it.
 *
 * @param onTrouble called if the list cannot be changed, with the reason
 * @param isDryRun what changes is not kept
 */
export async function openSuspects(
  remote: Remote,
  stores: NotesOf['stores'],
  onTrouble: (error: SyncerError) => void,
  isDryRun = false,
) {
  const notes = await Notes.open<Suspect>({
    kind: 'suspect',
    store: cacheStoreOf(remote) ?? '',
    stores,
    onTrouble: (thrown) => onTrouble(listError('kept', thrown, 'scrub again')),
  }).catch((thrown) => {
    throw listError('read', thrown, 'let this user read it');
  });
  const byPath = new Map<string, Suspect>();
  for (const note of notes.all) {
    const other = byPath.get(note.path);
    if (other === undefined || other.checkedMs < note.checkedMs) byPath.set(note.path, note);
  }
  /** The path by which a file is known, whatever symbolic links lead to it (`--copy-links`). */
  const keyOf = (path: string) => {
    const key = cachePath(remote, path);
    return remote.traits.onDisk ? realPath(key) : key;
  };
  const eraseNotes = async (path: string, but?: Suspect) => {
    if (isDryRun) return;
    for (const note of notes.at(path)) if (note !== but) await notes.erase(note);
  };
  const at = (path: string) => (byPath.size === 0 ? undefined : byPath.get(keyOf(path)));
  /** The note of a listed file that was not changed since. */
  const unchangedAt = (file: FileEntry) => {
    const note = at(file.path);
    if (note === undefined || note.size !== file.size) return undefined;
    if (file.modTime !== undefined && note.modTime !== String(file.modTime)) return undefined;
    const isReplaced = note.tag !== undefined && note.tag !== currentVersion(remote, file)?.tag;
    return isReplaced ? undefined : note;
  };
  /** The file of a note is none, or gone. */
  const erase = async ({ path }: Suspect) => {
    byPath.delete(path);
    await eraseNotes(path);
  };
  return {
    get isEmpty() {
      return byPath.size === 0;
    },
    /** Those below a path of the remote, `''` for all of it. */
    below(dir: string): readonly Suspect[] {
      const root = keyOf(dir);
      return [...byPath.values()].filter(({ path }) => pathBelow(root, path) !== undefined);
    },
    /** The path of a note in the remote, if it is there. */
    pathOf: ({ path }: Suspect) => pathBelow(cachePath(remote, ''), path),
    at,
    unchangedAt,
    /** The same, of one that was found suspect. It may be unreadable by now. */
    suspectAt(file: FileEntry) {
      const note = unchangedAt(file);
      return note?.was === undefined ? undefined : note;
    },
    /** Adds a file, or what was found about it now. */
    async add(
      file: FileEntry,
      found: Omit<Suspect, 'path' | 'device' | 'size' | 'modTime' | 'foundMs'>,
    ) {
      const path = keyOf(file.path);
      const { foundMs = found.checkedMs } = unchangedAt(file) ?? {};
      const modTime = file.modTime === undefined ? undefined : String(file.modTime);
      const device = remote.traits.onDisk ? await deviceNow(path) : undefined;
      const note = { ...found, path, size: file.size, ...defined({ device, modTime }), foundMs };
      if (!isDryRun && (await notes.add(note))) await eraseNotes(path, note);
      byPath.set(path, note);
    },
    /** A file of the remote is none. */
    async eraseAt(path: string) {
      const note = at(path);
      if (note !== undefined) await erase(note);
    },
    erase,
    /** Whether the disk of a note is where it was. */
    isMounted: async ({ path, device }: Suspect) =>
      device === undefined || (await deviceNow(path)) === device,
  };
}

/**
 * Refuses to replace a file by one that `scrub` found suspect, and to delete that one at the source of a move, unless
 * both have the same hash; resolves to `undefined` if it found none. Rejects with `config` if their list cannot be read.
 */
export async function suspectRule(
  remote: Remote,
  stores: NotesOf['stores'],
  doing: 'copy' | 'move',
): Promise<FileRule | undefined> {
  const suspects = await openSuspects(remote, stores, () => undefined);
  if (suspects.isEmpty) return undefined;
  return {
    name: 'suspect',
    of: 'change',
    keepsNames: false,
    extra: 'pairs-only',
    judge({ source, dest, hashes }, so) {
      if (dest === undefined || hashes === 'same' || suspects.suspectAt(source) === undefined)
        return undefined;
      const what =
        so?.do === 'delete-source'
          ? 'not deleted for the one at the other side'
          : 'not copied over the other side';
      const why = `${what}: scrub found its content changed without a new time`;
      const error = new SyncerError('differences', why, { path: source.path });
      return { do: 'refuse', reason: { why: 'suspect' }, error, doing };
    },
  };
}
