import { Readable } from 'node:stream';
import type { UnchangedBytes } from '../../core/content-pieces.ts';
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
import { type FileUpload, isChanged, type Turn } from './file-state.ts';

/** Between the tries of an upload, as in rclone. */
const BETWEEN_TRIES = { baseMs: 1_000, capMs: 60_000 };

/**
 * How long a superseded upload may take to end, in milliseconds. An aborted one can still arrive, after the next
 * version.
 */
const GRACE_MS = 3_000;
/**
 * Uploads committed files some time after their last use, a few in parallel, until each has succeeded. A failed one
 * returns to the queue, with pauses as between retries. It is no retry: nothing waits for it, it has no last try, a
 * newer version takes its place, and the journal keeps it for the next mount.
 */
export class UploadQueue {
  readonly #kit: ContentsKit;
  /** The files that wait; `due` ends their delay. */
  readonly #waiting = new Map<Turn, { readonly file: CachedFile; readonly due: AbortController }>();
  /** Those of them whose delay has passed, in this order. */
  readonly #ready = new Map<Turn, CachedFile>();
  /** Running uploads, including superseded ones, until they have really ended. */
  readonly #running = new Map<CachedFile, RunningUpload>();
  readonly #settled = new Set<() => void>();
  #drains = 0;
  #isClosed = false;

  constructor(kit: ContentsKit) {
    this.#kit = kit;
  }

  /** The number of uploads, for `ContentsState`. */
  counts(): { waiting: number; running: number; failed: number } {
    const failed = [...this.#waiting.keys()].filter(({ failure }) => failure !== undefined).length;
    const running = [...this.#running].filter(([file, { turn }]) => file.turn === turn);
    return { waiting: this.#waiting.size - failed, running: running.length, failed };
  }

  /** Uploads the file after a delay in milliseconds; a queued or running upload is restarted. */
  schedule(file: CachedFile, delayMs: number): void {
    // A file that has lost its name has nowhere to go, and a clean one is there.
    if (this.#isClosed || file.path === undefined || !file.isDirty) {
      file.stopped();
      return;
    }
    const turn = { failures: 0, failure: undefined };
    file.queued(turn);
    this.#enqueue(file, turn, delayMs);
  }

  /** A file has left this turn: it was changed, renamed or deleted. What has to be uploaded is scheduled again. */
  left(turn: Turn): void {
    this.#waiting.get(turn)?.due.abort();
    this.#waiting.delete(turn);
    this.#ready.delete(turn);
    this.#tell();
  }

  /** The upload of the file is of an older version now. `mayEnd`: by itself, if that takes no longer than a while. */
  superseded(file: CachedFile, mayEnd: boolean): void {
    const running = this.#running.get(file);
    if (running === undefined) return;
    const end = () => running.ends.abort(new SyncerError('source-changed', 'the upload restarts'));
    if (mayEnd && !this.#isClosed) {
      const over = new AbortController();
      void running.over.then(() => over.abort());
      void this.#kit.context.clock.sleep(GRACE_MS, over.signal).then(end, end);
    } else end();
  }

  /** Ends the upload of a file; resolves when none runs, to whether it was scheduled. */
  async stop(file: CachedFile): Promise<boolean> {
    const isScheduled = file.turn !== undefined;
    file.stopped();
    if (file.path !== undefined) await this.quiet(file.path);
    return isScheduled;
  }

  /** Resolves when the current uploads to `path` or below it have ended. */
  async quiet(path: string): Promise<void> {
    const running = [...this.#running.values()].filter((each) => isWithin(path, each.path));
    await Promise.all(running.map(({ over }) => over));
  }

  /** Uploads all queued files without delay. Resolves when nothing is left; rejects as `FileContents.drain` does. */
  async drain(op: Op): Promise<void> {
    this.#drains++;
    try {
      for (const [turn, { file, due }] of this.#waiting) {
        due.abort();
        this.#ready.set(turn, file);
      }
      this.goOn();
      while (this.#waiting.size > 0 || this.#running.size > 0) {
        op.signal.throwIfAborted();
        // All that is left fails permanently.
        const left = [...this.#waiting.keys()];
        const isHopeless = left.every(({ failure }) => failure?.retry === false);
        if (this.#running.size === 0 && isHopeless) throw left[0]?.failure;
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
    for (const { file } of [...this.#waiting.values()]) file.stopped();
    for (const file of this.#running.keys()) file.stopped();
    await Promise.all([...this.#running.values()].map(({ over }) => over));
  }

  /** Starts uploads while there is capacity. Call it when a path is released. */
  goOn(): void {
    for (const [turn, file] of this.#ready) {
      if (this.#running.size >= this.#kit.options.transfers) return;
      const { path } = file;
      // A superseded upload must not arrive after this one.
      if (path === undefined || this.#kit.holds.isHeld(path) || this.#running.has(file)) continue;
      if ([...this.#running.values()].some((each) => each.path === path)) continue;
      this.#ready.delete(turn);
      this.#waiting.delete(turn);
      this.#start(file, turn, path);
    }
  }

  #start(file: CachedFile, turn: Turn, path: string): void {
    const ends = new AbortController();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#running.set(file, { turn, path, ends, over });
    void this.#upload(file, turn, path, { signal: ends.signal }).then(() => {
      this.#running.delete(file);
      resolve();
      this.#tell();
      this.goOn();
    });
  }

  async #upload(file: CachedFile, turn: Turn, path: string, op: Op): Promise<void> {
    try {
      // Its commit failed when it was closed.
      if (isChanged(file.state)) await file.commit();
      if (file.turn === turn) await uploadCached(this.#kit, file, turn, path, op);
      file.uploadEnded();
    } catch (thrown) {
      if (file.turn === turn) this.#again(file, turn, toSyncerError(thrown));
      else file.uploadEnded();
    }
  }

  #again(file: CachedFile, turn: Turn, error: SyncerError): void {
    const failures = turn.failures + 1;
    const ms = backOffMs(failures, error.retryAfterMs, BETWEEN_TRIES);
    const event = { code: 'upload-retry', fields: { ms, error } } as const;
    this.#kit.context.emit({ type: 'log', level: 'error', path: file.path ?? '', ...event });
    const next = { failures, failure: error };
    file.uploadFailed(next);
    this.#enqueue(file, next, ms);
  }

  #enqueue(file: CachedFile, turn: Turn, delayMs: number): void {
    const due = new AbortController();
    this.#waiting.set(turn, { file, due });
    const ready = () => {
      this.#ready.set(turn, file);
      this.goOn();
    };
    if (delayMs <= 0 || (this.#drains > 0 && turn.failures === 0)) ready();
    // Aborted: it has left its turn, or a drain has made it ready.
    else this.#kit.context.clock.sleep(delayMs, due.signal).then(ready, () => undefined);
  }

  #tell(): void {
    for (const done of [...this.#settled]) done();
  }
}

/** An upload that has not ended yet. */
interface RunningUpload {
  readonly turn: Turn;
  /** Where it writes to. */
  readonly path: string;
  /** Aborts it. */
  readonly ends: AbortController;
  /** Never rejects. */
  readonly over: Promise<void>;
}

/**
 * Uploads the current version of a cached file: one version or nothing. Resolves when the remote and the journal have
 * it. A file that was changed since stays dirty. Rejects with the error of the remote.
 */
async function uploadCached(
  kit: ContentsKit,
  file: CachedFile,
  { failures }: Turn,
  path: string,
  op: Op,
): Promise<void> {
  const upload = file.uploadBegan(path);
  try {
    await file.acquire();
  } catch (thrown) {
    if (!hasCode(thrown, 'corrupted')) throw thrown;
    const event = { code: 'upload-impossible', fields: { error: thrown } } as const;
    kit.context.emit({ type: 'log', level: 'error', path, ...event });
    return file.discard();
  }
  try {
    if (!file.isComplete) await file.lookForSent(op);
    const whole = uploadSource(kit, file, upload);
    const around = { ...whole, ...unchangedBytes(file, upload) };
    // What is put aside must be complete.
    const mayKeep = !file.isUnsure && kit.remote.can.keepsUnchanged?.(around) === true;
    const source = mayKeep ? around : whole;
    if (!mayKeep) await file.complete(op);
    const isKnown = file.isRecovered && file.isComplete;
    const there = isKnown ? await arrivedBefore(kit, file, path, op) : undefined;
    op.signal.throwIfAborted();
    if (!file.isCurrent(upload)) throw changed(path);
    if (there === undefined && file.isUnsure) {
      if (file.users > 1) throw changed(path);
      return await refuse(kit, file, path, 'unsure');
    }
    file.uploadSent();
    const entry = there ?? (await kit.remote.write(source, op));
    if (entry.size >= 0 && entry.size !== source.size && entry.isRewritten !== true) {
      await kit.remote.can.takeBack?.(entry, {}, op);
      const text = `corrupted on transfer: sizes differ ${source.size} vs ${entry.size}`;
      throw new SyncerError('corrupted', text, { path });
    }
    const arrived = file.uploadArrived(upload, entry);
    // Without a wait: it may be clean now, and in between its size would be unknown.
    kit.uploaded.tell(path, entry);
    await arrived;
    kit.context.emit({ type: 'log', level: 'info', path, code: 'uploaded' });
    if (failures > 0) {
      emitSucceeded(kit.context, filePolicy, { what: path, attempt: failures + 1 });
    }
  } catch (thrown) {
    if (!file.isCurrent(upload) || !(await isLost(kit, file, thrown, op))) throw thrown;
  } finally {
    await file.release();
  }
}

/**
 * Whether the version that it changes is no longer on the remote, and with it bytes that were never read: then it can
 * never be uploaded. Its bytes are put aside, with a log line, and what others wrote stays.
 */
async function isLost(kit: ContentsKit, file: CachedFile, thrown: unknown, op: Op) {
  const { path, base } = file;
  op.signal.throwIfAborted();
  if (file.isComplete || !hasCode(thrown, 'source-changed', 'file-not-found')) return false;
  if (file.users > 1 || path === undefined || path !== base?.path) return false;
  const now = await kit.remote.stat(path, op);
  if (now?.kind === 'file' && sameContent(base, now)) {
    await file.rebase(now);
    return false;
  }
  if (now?.kind === 'file' && (await file.foundAs(now))) return false;
  await refuse(kit, file, path, 'replaced');
  if (now?.kind === 'file') kit.uploaded.tell(path, now);
  return true;
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

/**
 * The current version of a cached file. After a change, every read rejects with `source-changed`. What was never read is
 * downloaded when it is read.
 */
function uploadSource(kit: ContentsKit, file: CachedFile, upload: FileUpload): WriteSource {
  const { path } = upload;
  const { modTime, size } = file;
  const read = async (offset: number, length: number, op: Op) => {
    const bytes = await file.readExactly(offset, length, op);
    if (!file.isCurrent(upload) || bytes.length !== length) throw changed(path);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  const chunks = async function* (from: number, to: number, op: Op) {
    for (let at = from; at < to; at += STEP) yield await read(at, Math.min(STEP, to - at), op);
  };
  const open = async (range: ReadRange | undefined, op: Op): Promise<Body> => {
    const from = Math.min(range?.offset ?? 0, size);
    const to = range?.length === undefined ? size : Math.min(size, from + range.length);
    if (to - from <= WHOLE) return read(from, to - from, op);
    return Readable.from(chunks(from, to, op), { objectMode: true, highWaterMark: 2 });
  };
  return {
    path,
    size,
    mimeType: kit.mimeType(path),
    ...(kit.options.noModTime ? {} : { modTime }),
    ...(kit.options.noChecksum ? {} : { hash: (name, op) => hashOf(name, chunks(0, size, op)) }),
    seekable: true,
    open,
  };
}

/** What an upload of a file need not read: it was not written since it came from its object. */
function unchangedBytes(file: CachedFile, upload: FileUpload): Pick<WriteSource, 'unchanged'> {
  const { base } = file;
  if (base === undefined) return {};
  const requireCurrent = () => {
    if (!file.isCurrent(upload)) throw changed(upload.path);
  };
  const unchanged: UnchangedBytes<FileEntry, Op> = {
    of: base,
    ranges: file.unchanged.map(({ from, to }) => ({ offset: from, length: to - from })),
    areUnread: !file.isComplete,
    async replacing(etag) {
      requireCurrent();
      file.sends(etag);
      await file.describe();
      await file.safe();
      requireCurrent();
    },
    fetch: (op) => file.complete(op),
  };
  return { unchanged };
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
