import { SyncerError } from '../../src/core/errors.ts';
import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { isWithin, parentPath } from '../../src/core/remote-path.ts';
import type { FileContents } from '../../src/vfs/contents/contents.ts';
import type { FileHandle, PendingFile } from '../../src/vfs/contents/file-contents.ts';

/** A file whose content is in memory. */
interface Held {
  path: string | undefined;
  data: Buffer;
  modTime: bigint;
  isDirty: boolean;
  /** An upload of it has failed, and nobody knows how far it came. */
  isUncertain: boolean;
  opened: number;
  writers: number;
}

/** Contents in memory, uploaded when the last descriptor is closed, or when `uploadAll` is called. */
export interface MemoryContents extends FileContents {
  uploadAll(): Promise<void>;
  /** What was called that changes names: `removed a`, `renamed a b`. */
  readonly calls: string[];
}

const forever = { signal: new AbortController().signal };

/** `waits`: files are uploaded by `uploadAll` only. */
export function memoryContents(remote: Remote, waits = false, now = 5000n): MemoryContents {
  const files = new Map<string, Held>();
  const listeners: ((path: string, entry: FileEntry) => void)[] = [];
  const calls: string[] = [];

  const running = new Map<Held, Promise<void>>();
  const holds = new Set<{ readonly path: string; readonly released: Promise<void> }>();
  const holdOf = ({ path = '' }: Held) => [...holds].find((hold) => isWithin(hold.path, path));

  const upload = async (held: Held): Promise<void> => {
    for (;;) {
      const busy = running.get(held) ?? holdOf(held)?.released;
      if (busy === undefined) break;
      await busy.catch(() => {});
    }
    if (held.path === undefined || !held.isDirty) return;
    const done = write(held, held.path);
    running.set(held, done);
    try {
      await done;
    } finally {
      running.delete(held);
    }
  };
  const write = async (held: Held, path: string): Promise<void> => {
    const { data, modTime } = held;
    const source = { path, size: data.length, modTime, seekable: true, open: async () => data };
    held.isUncertain = true;
    const entry = await remote.write(source, forever);
    held.isUncertain = false;
    held.isDirty = held.data !== data || held.modTime !== modTime;
    if (held.opened === 0 && !held.isDirty) forget(held);
    for (const tell of listeners) tell(path, entry);
  };
  const findOut = async (held: Held): Promise<void> => {
    const { path = '' } = held;
    const entry = await remote.stat(path, forever);
    held.isUncertain = false;
    if (entry?.kind === 'file') for (const tell of listeners) tell(path, entry);
  };
  /** Opens the content of a path once more. */
  const load = async (path: string, entry: FileEntry | undefined, empty: boolean, op: Op) => {
    const isRead = entry !== undefined && !empty && !files.has(path);
    const body = isRead ? await remote.read(entry, undefined, op) : Buffer.alloc(0);
    if (!Buffer.isBuffer(body)) throw new SyncerError('unsupported', 'bodies come whole here');
    // Another call may have opened it during the read.
    const held = files.get(path) ?? {
      path,
      data: body,
      modTime: entry?.modTime ?? now,
      isDirty: false,
      isUncertain: false,
      opened: 0,
      writers: 0,
    };
    held.opened++;
    files.set(path, held);
    return held;
  };
  const forget = (held: Held) => {
    if (held.path !== undefined && files.get(held.path) === held) files.delete(held.path);
  };
  const resize = (held: Held, size: number) => {
    const data = Buffer.alloc(size);
    held.data.copy(data);
    Object.assign(held, { data, isDirty: true, modTime: now });
  };
  const opened = (held: Held, canWrite: boolean): FileHandle => ({
    canWrite,
    size: () => held.data.length,
    modTime: () => held.modTime,
    read: async (offset, length) => held.data.subarray(offset, offset + length),
    write: async (position, bytes) => {
      const at = position === 'end' ? held.data.length : position;
      if (at + bytes.length > held.data.length) resize(held, at + bytes.length);
      else held.data = Buffer.from(held.data);
      held.data.set(bytes, at);
      held.isDirty = true;
    },
    truncate: async (size) => resize(held, size),
    setModTime: (modTime) => Object.assign(held, { modTime, isDirty: true }),
    flush: async () => {},
    sync: async () => {},
    release: async () => {
      held.opened--;
      if (canWrite) held.writers--;
      if (held.opened > 0) return;
      if (held.isDirty && !waits) await upload(held);
      if (!held.isDirty) forget(held);
    },
  });
  const drop = (path: string) => {
    const held = files.get(path);
    if (held !== undefined) held.path = undefined;
    files.delete(path);
  };
  const move = (held: Held, to: string) => {
    forget(held);
    held.path = to;
    files.set(to, held);
  };
  const toPending = ({ path = '', data, modTime }: Held): PendingFile => ({
    path,
    size: data.length,
    modTime,
  });
  const dirty = () => [...files.values()].filter((held) => held.isDirty);

  return {
    calls,
    async uploadAll() {
      for (const held of dirty()) if (held.opened === 0) await upload(held);
    },
    async open(path, entry, access, op) {
      const held = await load(path, entry, access.truncate, op);
      if (access.truncate && held.data.length > 0) resize(held, 0);
      if (access.write && (access.truncate || entry === undefined)) held.isDirty = true;
      if (access.write) held.writers++;
      return opened(held, access.write);
    },
    pending(path) {
      const held = files.get(path);
      return held?.isDirty ? toPending(held) : undefined;
    },
    pendingIn: (dir) =>
      dirty()
        .filter(({ path = '' }) => parentPath(path) === dir)
        .map(toPending),
    pendingBelow: (dir) =>
      dirty()
        .filter(({ path = '' }) => isWithin(dir, path))
        .map(toPending),
    async hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const hold = { path, released: promise };
      holds.add(hold);
      for (const [held, done] of running) {
        if (isWithin(path, held.path ?? '')) await done.catch(() => {});
      }
      const letGo = () => {
        holds.delete(hold);
        resolve();
      };
      try {
        for (const held of dirty()) {
          if (held.isUncertain && isWithin(path, held.path ?? '')) await findOut(held);
        }
        return letGo;
      } catch (thrown) {
        letGo();
        throw thrown;
      }
    },
    async setModTime(path, modTime) {
      const held = files.get(path);
      if (held === undefined) return false;
      Object.assign(held, { modTime, isDirty: true });
      return true;
    },
    async truncate(path, entry, size, op) {
      const held = await load(path, entry, size === 0, op);
      resize(held, size);
      held.opened--;
      if (!waits) await upload(held);
    },
    async renamed(from, to) {
      calls.push(`renamed ${from} ${to}`);
      if (from !== to) drop(to);
      const held = files.get(from);
      if (held !== undefined) move(held, to);
      // As one with a journal, which has to be written.
      await new Promise((resolve) => setImmediate(resolve));
      return false;
    },
    async bringHere(path) {
      const held = files.get(path);
      return held?.isDirty === true && held.opened === 0;
    },
    async dirRenamed(from, to) {
      calls.push(`dirRenamed ${from} ${to}`);
      for (const held of [...files.values()]) {
        const { path = '' } = held;
        if (isWithin(from, path)) move(held, to + path.slice(from.length));
      }
    },
    async removed(path) {
      calls.push(`removed ${path}`);
      drop(path);
      return false;
    },
    changed(path) {
      const held = files.get(path);
      if (held !== undefined && !held.isDirty && held.writers === 0) drop(path);
    },
    state: () => ({
      uploadsWaiting: dirty().length,
      uploadsRunning: 0,
      uploadsFailed: 0,
      pendingBytes: dirty().reduce((sum, { data }) => sum + data.length, 0),
      cachedBytes: 0,
      cachedFiles: files.size,
    }),
    onUploaded: (listener) => {
      listeners.push(listener);
    },
    async drain() {
      for (const held of dirty()) await upload(held);
    },
    async finish() {
      for (const held of dirty()) await upload(held);
    },
    async close() {},
  };
}
