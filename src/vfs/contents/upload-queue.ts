import { Readable } from 'node:stream';
import { abortable } from '../../core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Body, FileEntry, Op, ReadRange, WriteSource } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';
import { backOffMs, emitSucceeded, filePolicy } from '../../core/retry.ts';
import { sameContent } from '../../core/same-content.ts';
import { loadedHasher } from '../../hashes/content-hasher.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';

/** Between the tries of an upload, as in rclone. */
const BETWEEN_TRIES = { baseMs: 1_000, capMs: 60_000 };

/**
 * How long a superseded upload may take to end, in milliseconds. An aborted one can still arrive, after the next
 * version.
 */
const GRACE_MS = 3_000;
/**
 * Larger files are uploaded in parts, in bytes: an upload that is aborted between parts is never whole on the remote.
 */
const AT_ONCE = 16 * 1024 * 1024;

/**
 * Uploads committed files some time after their last use, a few in parallel, until each has succeeded. A failed one
 * returns to the queue, with pauses as between retries. It is no retry: nothing waits for it, it has no last try, a
 * newer version takes its place, and the journal keeps it for the next mount.
 */
export class UploadQueue {
  readonly #kit: ContentsKit;
  /** The files that are queued or uploading, each with its controller. */
  readonly #turns = new Map<CachedFile, AbortController>();
  /** Queued files whose delay has passed. */
  readonly #ready = new Map<CachedFile, AbortController>();
  /** Running uploads, including superseded ones, until they have really ended. */
  readonly #runs = new Map<CachedFile, Promise<void>>();
  readonly #settled = new Set<() => void>();
  #drains = 0;
  #isClosed = false;

  constructor(kit: ContentsKit) {
    this.#kit = kit;
  }

  /** The number of uploads, for `ContentsState`. */
  counts(): { waiting: number; running: number; failed: number } {
    const files = [...this.#turns.keys()];
    const running = files.filter(({ upload }) => upload === 'uploading').length;
    const failed = files.filter(isFailed).length;
    return { waiting: files.length - running - failed, running, failed };
  }

  /** Uploads the file after a delay in milliseconds; a queued or running upload is restarted. */
  schedule(file: CachedFile, delayMs: number): void {
    this.cancel(file);
    file.failures = 0;
    file.failure = undefined;
    this.#enqueue(file, delayMs);
  }

  /** Removes the file from the queue; its upload ends soon. The caller schedules again what has to be uploaded. */
  cancel(file: CachedFile): void {
    const turn = this.#turns.get(file);
    if (turn === undefined) return;
    const mayEnd = file.upload === 'uploading' && file.isUncertain && file.size <= AT_ONCE;
    this.#turns.delete(file);
    this.#ready.delete(file);
    file.upload = undefined;
    const end = () => turn.abort(new SyncerError('source-changed', 'the upload restarts'));
    if (mayEnd && !this.#isClosed) {
      // It ends by itself, or after a while.
      const over = new AbortController();
      void this.#runs.get(file)?.then(() => over.abort());
      void this.#kit.context.clock.sleep(GRACE_MS, over.signal).then(end, end);
    } else end();
    this.#tell();
  }

  /** As `cancel`; resolves when no upload of it runs, to whether it was scheduled. */
  async stop(file: CachedFile): Promise<boolean> {
    const isScheduled = this.#turns.has(file);
    this.cancel(file);
    if (file.path !== undefined) await this.quiet(file.path);
    return isScheduled;
  }

  /** Resolves when the current uploads to `path` or below it have ended. */
  async quiet(path: string): Promise<void> {
    const runs = [...this.#runs].filter(([{ uploadsTo }]) => {
      return uploadsTo !== undefined && isWithin(path, uploadsTo);
    });
    await Promise.all(runs.map(([, run]) => run));
  }

  /** Uploads all queued files without delay. Resolves when nothing is left; rejects as `FileContents.drain` does. */
  async drain(op: Op): Promise<void> {
    this.#drains++;
    try {
      for (const [file, turn] of [...this.#turns]) {
        if (file.upload !== 'queued' || this.#ready.has(file)) continue;
        turn.abort();
        this.#enqueue(file, 0);
      }
      while (this.#turns.size > 0 || this.#runs.size > 0) {
        op.signal.throwIfAborted();
        // All that is left fails permanently.
        const left = [...this.#turns.keys()];
        const isHopeless = (file: CachedFile) => isFailed(file) && file.failure?.retry === false;
        if (this.#runs.size === 0 && left.every(isHopeless)) throw left[0]?.failure;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#settled.add(resolve);
        await abortable(promise, op.signal).finally(() => this.#settled.delete(resolve));
      }
    } finally {
      this.#drains--;
    }
  }

  /** Ends everything; what was not uploaded is in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const file of [...this.#turns.keys()]) this.cancel(file);
    await Promise.all(this.#runs.values());
  }

  /** Starts uploads while there is capacity. Call it when a path is released. */
  goOn(): void {
    for (const [file, turn] of this.#ready) {
      if (this.#runs.size >= this.#kit.options.transfers) return;
      // A superseded upload must not arrive after this one.
      if (this.#kit.holds.isHeld(file.path) || this.#runs.has(file)) continue;
      if ([...this.#runs.keys()].some(({ uploadsTo }) => uploadsTo === file.path)) continue;
      this.#ready.delete(file);
      file.upload = 'uploading';
      file.uploadsTo = file.path;
      const run = this.#run(file, turn).then(() => {
        this.#runs.delete(file);
        file.uploadsTo = undefined;
        this.#tell();
        this.goOn();
      });
      this.#runs.set(file, run);
    }
  }

  #enqueue(file: CachedFile, delayMs: number): void {
    if (this.#isClosed) return;
    const turn = new AbortController();
    this.#turns.set(file, turn);
    file.upload = 'queued';
    const isDue = delayMs <= 0 || (this.#drains > 0 && file.failures === 0);
    void this.#wait(file, turn, isDue ? 0 : delayMs);
  }

  async #wait(file: CachedFile, turn: AbortController, delayMs: number): Promise<void> {
    if (delayMs > 0)
      await this.#kit.context.clock.sleep(delayMs, turn.signal).catch(() => undefined);
    if (turn.signal.aborted) return;
    this.#ready.set(file, turn);
    this.goOn();
  }

  async #run(file: CachedFile, turn: AbortController): Promise<void> {
    let failure: SyncerError | undefined;
    try {
      await uploadCached(this.#kit, file, { signal: turn.signal });
    } catch (thrown) {
      failure = toSyncerError(thrown);
    }
    if (this.#turns.get(file) !== turn) {
      // It was closed again without a change: its next turn would find an object that the cache no longer knows.
      if (!file.isDirty) this.cancel(file);
      return;
    }
    this.#turns.delete(file);
    file.upload = undefined;
    if (failure !== undefined) this.#again(file, failure);
  }

  #again(file: CachedFile, error: SyncerError): void {
    file.failures++;
    file.failure = error;
    const ms = backOffMs(file.failures, error.retryAfterMs, BETWEEN_TRIES);
    const event = { code: 'upload-retry', fields: { ms, error } } as const;
    this.#kit.context.emit({ type: 'log', level: 'error', path: file.path ?? '', ...event });
    this.#enqueue(file, ms);
  }

  #tell(): void {
    for (const done of [...this.#settled]) done();
  }
}

/** Whether the file waits for another try. */
function isFailed({ upload, failure }: CachedFile): boolean {
  return upload === 'queued' && failure !== undefined;
}

/**
 * Uploads the current version of a cached file: one version or nothing. Resolves when the remote and the journal have
 * it. A file that was changed since stays pending. Rejects with the error of the remote.
 */
async function uploadCached(kit: ContentsKit, file: CachedFile, op: Op): Promise<void> {
  try {
    await file.acquire();
  } catch (thrown) {
    if (!hasCode(thrown, 'corrupted')) throw thrown;
    const event = { code: 'upload-impossible', fields: { error: thrown } } as const;
    kit.context.emit({ type: 'log', level: 'error', path: file.path ?? '', ...event });
    return file.discard();
  }
  try {
    await file.commit();
    const { path, edition } = file;
    if (path === undefined || !file.isDirty) return;
    if (!(await completed(kit, file, op))) return;
    const there = file.isRecovered ? await arrivedBefore(kit, file, path, op) : undefined;
    op.signal.throwIfAborted();
    if (file.edition !== edition) throw changed(path);
    if (there === undefined && file.isUnsure) {
      if (file.users > 1) throw changed(path);
      return await refuse(kit, file, path, 'unsure');
    }
    file.isUncertain = true;
    const source = uploadSource(kit, file, path);
    const entry = there ?? (await kit.remote.write(source, op));
    if (entry.size >= 0 && entry.size !== source.size && entry.isRewritten !== true) {
      await kit.remote.can.takeBack?.(entry, {}, op);
      const text = `corrupted on transfer: sizes differ ${source.size} vs ${entry.size}`;
      throw new SyncerError('corrupted', text, { path });
    }
    file.isUncertain = false;
    if (file.edition === edition) {
      const kept = file.uploaded(entry);
      // Without a wait: it is not pending any more, and in between its size would be unknown.
      kit.uploaded.tell(path, entry);
      await kept;
    } else {
      // The uploaded version has to be deleted or renamed with the file.
      file.base = entry;
      kit.uploaded.tell(path, entry);
    }
    kit.context.emit({ type: 'log', level: 'info', path, code: 'uploaded' });
    if (file.failures > 0) {
      emitSucceeded(kit.context, filePolicy, { what: path, attempt: file.failures + 1 });
    }
  } finally {
    await file.release();
  }
}

/**
 * Fetches what is missing of it. If the version that it changes is no longer on the remote, it can never be uploaded:
 * then its bytes are put aside, with a log line, and what others wrote stays. Returns `false` then.
 */
async function completed(kit: ContentsKit, file: CachedFile, op: Op): Promise<boolean> {
  const { path, base } = file;
  try {
    await file.complete(op);
    return true;
  } catch (thrown) {
    op.signal.throwIfAborted();
    const isLost = hasCode(thrown, 'source-changed', 'file-not-found');
    if (!isLost || file.users > 1 || path === undefined || path !== base?.path) throw thrown;
    const now = await kit.remote.stat(path, op);
    if (now?.kind === 'file' && sameContent(base, now)) {
      await file.rebase(now);
      throw thrown;
    }
    await refuse(kit, file, path, 'replaced');
    if (now?.kind === 'file') kit.uploaded.tell(path, now);
    return false;
  }
}

/** Puts its bytes aside, with a log line. */
async function refuse(
  { context }: ContentsKit,
  file: CachedFile,
  path: string,
  why: 'replaced' | 'unsure',
): Promise<void> {
  const fields = { why, kept: await file.putAside() };
  context.emit({ type: 'log', level: 'error', path, code: 'upload-refused', fields });
}

/**
 * The remote's file, if it is this one: its upload succeeded and the mount ended before the journal had it. What
 * others wrote since is replaced, as in rclone, with a log line.
 */
async function arrivedBefore(
  { remote, context }: ContentsKit,
  file: CachedFile,
  path: string,
  op: Op,
): Promise<FileEntry | undefined> {
  const now = await remote.stat(path, op);
  if (now?.kind !== 'file' || now.isWrong === true) return undefined;
  if (file.base !== undefined && sameContent(file.base, now)) return undefined;
  const [first] = Object.entries(now.hashes ?? {}) as [HashName, string][];
  const mayBeIt = now.size === file.size && now.modTime === file.modTime && first !== undefined;
  const content = async function* () {
    for (let at = 0; at < file.size; at += STEP) yield await file.readHere(at, STEP);
  };
  if (mayBeIt && first[1] === (await hashOf(first[0], content()))) return now;
  if (!file.isUnsure)
    context.emit({ type: 'log', level: 'notice', path, code: 'upload-overwrites' });
  return undefined;
}

/** Up to this size, in bytes, a range is read as a whole: parts of an upload. */
const WHOLE = 16 * 1024 * 1024;
/** How much of larger ones is read at a time, in bytes. */
const STEP = 1024 * 1024;

/** The current version of a cached file. After a change, every read rejects with `source-changed`. */
function uploadSource(kit: ContentsKit, file: CachedFile, path: string): WriteSource {
  const { edition, modTime, size } = file;
  const read = async (offset: number, length: number) => {
    const bytes = await file.readHere(offset, length);
    if (file.edition !== edition || bytes.length !== length) throw changed(path);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  const chunks = async function* (from: number, to: number) {
    for (let at = from; at < to; at += STEP) yield await read(at, Math.min(STEP, to - at));
  };
  const open = async (range: ReadRange | undefined): Promise<Body> => {
    const from = Math.min(range?.offset ?? 0, size);
    const to = range?.length === undefined ? size : Math.min(size, from + range.length);
    if (to - from <= WHOLE) return read(from, to - from);
    return Readable.from(chunks(from, to), { objectMode: true, highWaterMark: 2 });
  };
  return {
    path,
    size,
    mimeType: kit.mimeType(path),
    ...(kit.options.noModTime ? {} : { modTime }),
    ...(kit.options.noChecksum ? {} : { hash: (name) => hashOf(name, chunks(0, size)) }),
    seekable: true,
    open,
  };
}

async function hashOf(
  name: HashName,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const hasher = await loadedHasher([name]);
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest()[name];
}

/** The error for a file that changed during its upload. */
function changed(path: string): SyncerError {
  return new SyncerError('source-changed', 'changed while it was uploaded', { path });
}
