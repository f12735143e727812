import type { Clock } from '../../core/context.ts';
import { isStop, type SyncerError } from '../../core/errors.ts';
import type { SyncerEvent, TransferKind } from '../../core/events.ts';
import { Failures } from './failures.ts';

/** What a moving average of a speed remembers. */
export interface Speed {
  /** Bytes that have passed. */
  bytes: number;
  /** Bytes a second. */
  rate: number;
  ticks: number;
  bytesAtTick: number;
}

/** One transfer or comparison of contents that is going on. */
export interface ActiveTransfer extends Speed {
  readonly id: number;
  readonly kind: TransferKind;
  readonly path: string;
  /** In bytes, without what the store has copied from an object that it had; -1 where it is not known. */
  size: number;
  /** What the store has copied so, in bytes. */
  copied: number;
  /** When it began, as `elapsedMs`. */
  readonly startedMs: number;
  /** How far it has been read for a hash, in bytes; -1: it has not. */
  hashed: number;
  hashedAtTick: number;
}

/** What a run has done so far: the one source of progress views, logged statistics and the exit code. */
export class ProgressState implements Speed {
  bytes = 0;
  rate = 0;
  ticks = 0;
  bytesAtTick = 0;
  /** When the run began, on its clock, in milliseconds; later by the time for which the clock was held. */
  startedMs: number;
  /** Since when the clock is held, and how many hold it; see `holdClock`. */
  heldSinceMs: number | undefined;
  holds = 0;
  /** How long at least one transfer or comparison of contents was going on, without `busySinceMs` until now. */
  busyMs = 0;
  /** Since when at least one is going on, as `elapsedMs`; `undefined` if none is. */
  busySinceMs: number | undefined;
  /** The two sides of the transfers, for statistics as data. */
  sides: { readonly source?: string; readonly dest?: string } = {};
  /** When speeds were last brought up to date. */
  tickMs: number;
  /** Files transferred, and those that were found and wait with their bytes. */
  transfers = 0;
  queuedTransfers = 0;
  queuedBytes = 0;
  /** Transfers of this attempt that failed, with the bytes of their files. */
  failedTransfers = 0;
  failedBytes = 0;
  /** Pairs compared, and those that were found and wait. */
  checks = 0;
  queuedChecks = 0;
  listed = 0;
  deletedFiles = 0;
  deletedDirs = 0;
  deletedBytes = 0;
  /** Those of the deleted files, and their bytes, that are elsewhere now: moves and backups. */
  movedFiles = 0;
  movedBytes = 0;
  renames = 0;
  /** What stores copied and moved themselves, with its bytes; those of moves are no bytes transferred, as in rclone. */
  serverCopies = 0;
  serverCopyBytes = 0;
  serverMoves = 0;
  serverMoveBytes = 0;
  /** Uploads that were continued after an interruption, and the bytes of uploads and downloads that were there. */
  resumedUploads = 0;
  resumedBytes = 0;
  /** How long requests waited because servers throttled, all together, in milliseconds. */
  throttledMs = 0;
  /** Requests and files that succeeded after failures. */
  retriesSucceeded = 0;
  errors = 0;
  lastError: SyncerError | undefined;
  readonly failures = new Failures();
  /** Those that were counted, so that one that is thrown after it was reported is not counted twice. */
  readonly counted = new WeakSet<SyncerError>();
  /** An error that ends the run was seen. */
  fatalError = false;
  /** An error was seen that may go away when tried again. */
  retryError = false;
  hasEnded = false;
  /** In the order they began. */
  readonly active = new Map<number, ActiveTransfer>();

  /** @param nowMs when the run begins, on its clock */
  constructor(nowMs: number) {
    this.startedMs = this.tickMs = nowMs;
  }
}

/** Adds the bytes of a transfer, which `server-rename` does not count as copied. */
function addBytes(state: ProgressState, transfer: ActiveTransfer | undefined, bytes: number): void {
  if (transfer?.kind !== 'server-rename') state.bytes += bytes;
  if (transfer !== undefined) transfer.bytes += bytes;
}

/** Counts what a store has copied of a transfer: it is not to be sent. */
function addCopied(
  state: ProgressState,
  transfer: ActiveTransfer | undefined,
  bytes: number,
): void {
  if (transfer === undefined) return;
  transfer.copied += bytes;
  transfer.size -= bytes;
  state.serverCopyBytes += bytes;
}

/**
 * Applies an event. The state is changed in place, since a run brings an event for every chunk of every file;
 * what it becomes depends on the state, the event and the time alone. Without a clock the time is that of the last
 * `tickRates`.
 */
export function applyEvent(
  state: ProgressState,
  event: SyncerEvent,
  clock?: Pick<Clock, 'monotonic'>,
): void {
  switch (event.type) {
    case 'transfer-queued':
      state.queuedTransfers += event.files;
      state.queuedBytes += event.bytes;
      if (event.again !== true) break;
      state.failedTransfers -= event.files;
      state.failedBytes -= event.bytes;
      break;
    case 'sides':
      state.sides = event;
      break;
    case 'transfer-start': {
      const { id, kind, path, size } = event;
      const startedMs = elapsedMs(state, clock?.monotonic() ?? state.tickMs);
      state.busySinceMs ??= startedMs;
      if (kind !== 'check') {
        state.queuedTransfers = Math.max(0, state.queuedTransfers - 1);
        state.queuedBytes = Math.max(0, state.queuedBytes - Math.max(0, size));
      }
      const none = {
        bytes: 0,
        copied: 0,
        rate: 0,
        ticks: 0,
        bytesAtTick: 0,
        hashed: -1,
        hashedAtTick: -1,
      };
      state.active.set(id, { ...none, id, kind, path, size, startedMs });
      break;
    }
    case 'transfer-bytes':
      addBytes(state, state.active.get(event.id), event.bytes);
      break;
    case 'transfer-restart': {
      const transfer = state.active.get(event.id);
      addBytes(state, transfer, -(transfer?.bytes ?? 0));
      addCopied(state, transfer, -(transfer?.copied ?? 0));
      break;
    }
    case 'transfer-copied':
      addCopied(state, state.active.get(event.id), event.bytes);
      break;
    case 'transfer-hashed': {
      const transfer = state.active.get(event.id);
      if (transfer !== undefined) transfer.hashed = event.bytes;
      break;
    }
    case 'transfer-end':
      endTransfer(state, event, elapsedMs(state, clock?.monotonic() ?? state.tickMs));
      break;
    case 'check-queued':
      state.queuedChecks += event.files;
      break;
    case 'checked':
      state.checks += event.files;
      state.queuedChecks = Math.max(0, state.queuedChecks - event.files);
      break;
    case 'listed':
      state.listed += event.entries;
      break;
    case 'deleted':
      // Each is a check, too, as in rclone.
      state.checks += event.files;
      state.deletedFiles += event.files;
      state.deletedDirs += event.dirs;
      state.deletedBytes += event.bytes;
      if (event.moved !== true) break;
      state.movedFiles += event.files;
      state.movedBytes += event.bytes;
      break;
    case 'renamed':
      state.renames += event.files;
      break;
    case 'error':
      addError(state, event.error, event.path);
      break;
    case 'retry-run':
      state.errors = 0;
      state.failedTransfers = 0;
      state.failedBytes = 0;
      state.failures.clear();
      state.lastError = undefined;
      state.fatalError = false;
      state.retryError = false;
      break;
    case 'log':
      if (event.code === 'retry-succeeded') state.retriesSucceeded++;
      if (event.code === 'upload-resumed') state.resumedUploads++;
      if (event.code === 'upload-resumed' || event.code === 'download-resumed')
        state.resumedBytes += event.fields.bytes;
      break;
    case 'wait':
      if (event.why === 'throttled') state.throttledMs += event.ms;
      break;
  }
}

/** Counts an error about `path` that was not counted yet; that a run was stopped is none. */
export function addError(state: ProgressState, error: SyncerError, path = error.path): void {
  if (state.counted.has(error) || isStop(error)) return;
  state.counted.add(error);
  state.errors++;
  state.lastError = error;
  state.failures.note(error, path);
  if (error.stop) state.fatalError = true;
  if (error.retry) state.retryError = true;
}

/**
 * Holds the clock of a run until the function that it gives is called: while a person is asked, or looks at a plan,
 * nothing is done and no speed can be learned.
 */
export function holdClock(state: ProgressState, clock: Pick<Clock, 'monotonic'>): () => void {
  if (state.holds++ === 0) state.heldSinceMs = clock.monotonic();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--state.holds > 0 || state.heldSinceMs === undefined) return;
    const waitedMs = clock.monotonic() - state.heldSinceMs;
    state.startedMs += waitedMs;
    state.tickMs += waitedMs;
    state.heldSinceMs = undefined;
  };
}

/** How long a run has been going on, in milliseconds, without the time for which its clock was held. */
export function elapsedMs({ startedMs, heldSinceMs }: ProgressState, nowMs: number): number {
  return (heldSinceMs ?? nowMs) - startedMs;
}

/** Whether a file is read for a hash, and nothing of it is transferred yet. */
export function isHashing({ hashed, size, bytes }: ActiveTransfer): boolean {
  return hashed >= 0 && hashed < size && bytes === 0;
}

/** How many transfers there are in all: done, going on, waiting and failed. */
export function totalTransfers(state: ProgressState): number {
  let active = 0;
  for (const { kind } of state.active.values()) if (kind !== 'check') active++;
  return state.transfers + state.queuedTransfers + active + state.failedTransfers;
}

/** How many comparisons there are in all: done, and going on or waiting. */
export const totalChecks = (state: ProgressState): number => state.checks + state.queuedChecks;

/** How many bytes there are in all: passed, still to come of what is going on, waiting, and of files that failed. */
export function totalBytes(state: ProgressState): number {
  let total = state.bytes + state.queuedBytes + state.failedBytes;
  for (const { kind, size, bytes, hashed } of state.active.values()) {
    if (kind === 'server-rename') continue;
    if (size > bytes && (kind !== 'check' || hashed < 0)) total += size - bytes;
  }
  return total;
}

/**
 * A transfer that failed is not counted as done, nor are its bytes; comparisons are counted by `checked`. A rename of
 * the server counts as a check, as in rclone.
 */
function endTransfer(
  state: ProgressState,
  { id, error, inStore = false }: SyncerEvent & { type: 'transfer-end' },
  endedMs: number,
): void {
  const transfer = state.active.get(id);
  state.active.delete(id);
  if (state.active.size === 0 && state.busySinceMs !== undefined) {
    state.busyMs += endedMs - state.busySinceMs;
    state.busySinceMs = undefined;
  }
  if (transfer === undefined || transfer.kind === 'check') return;
  const { kind } = transfer;
  const size = Math.max(0, transfer.size);
  if (error !== undefined) {
    if (kind !== 'server-rename') state.bytes -= transfer.bytes;
    state.serverCopyBytes -= transfer.copied;
    state.failedTransfers++;
    state.failedBytes += size + transfer.copied;
    return;
  }
  if (kind === 'server-rename') state.checks++;
  else state.transfers++;
  if (kind === 'server-move' || kind === 'server-rename') {
    state.serverMoves++;
    state.serverMoveBytes += size;
  } else if (kind === 'server-copy' || inStore) {
    state.serverCopies++;
    state.serverCopyBytes += size;
  } else if (transfer.copied > 0) state.serverCopies++;
}

/** How often `tickRates` wants to be called, in milliseconds. */
export const RATE_TICK_MS = 1000;

/**
 * Brings the speeds of the run and of each transfer up to date: exponential averages over the seconds, without those in
 * which all there was to transfer was being hashed.
 */
export function tickRates(state: ProgressState, nowMs: number): void {
  const seconds = (nowMs - state.tickMs) / 1000;
  if (seconds <= 0 || state.heldSinceMs !== undefined) return;
  state.tickMs = nowMs;
  if (isOnlyHashing(state)) state.bytesAtTick = state.bytes;
  else tick(state, seconds);
  for (const transfer of state.active.values()) {
    if (hasHashed(transfer)) transfer.bytesAtTick = transfer.bytes;
    else tick(transfer, seconds);
    transfer.hashedAtTick = transfer.hashed;
  }
}

/** Whether no byte could pass, as every transfer is or was being hashed since the last tick. */
export function isOnlyHashing({ active }: Pick<ProgressState, 'active'>): boolean {
  return active.size > 0 && [...active.values()].every(hasHashed);
}

function hasHashed(transfer: ActiveTransfer): boolean {
  return isHashing(transfer) || transfer.hashed !== transfer.hashedAtTick;
}

/** Leaves out the time since the last tick: while a run is paused nothing can be learned of its speeds. */
export function skipTick(state: ProgressState, nowMs: number): void {
  state.tickMs = nowMs;
  state.bytesAtTick = state.bytes;
  for (const transfer of state.active.values()) {
    transfer.bytesAtTick = transfer.bytes;
    transfer.hashedAtTick = transfer.hashed;
  }
}

/** Forgets the averages, as something else limits the speed now. */
export function restartRates(state: ProgressState): void {
  for (const speed of [state, ...state.active.values()]) speed.ticks = 0;
}

/** The speed of the run in bytes a second; before the first tick that of the time since the start, without its hashing. */
export function currentRate(state: ProgressState, nowMs: number): number {
  if (state.ticks > 0) return state.rate;
  const seconds = ((state.heldSinceMs ?? nowMs) - state.tickMs) / 1000;
  return seconds > 0 ? (state.bytes - state.bytesAtTick) / seconds : 0;
}

/** Whole seconds until the run is done; `undefined` where that cannot be told, as of one that ended before. */
export function runSecondsLeft(state: ProgressState, nowMs: number): number | undefined {
  const left = secondsLeft(state.bytes, totalBytes(state), currentRate(state, nowMs));
  return state.hasEnded && left !== 0 ? undefined : left;
}

/** Whole seconds until `total` bytes are done; `undefined` where that cannot be told. */
export function secondsLeft(done: number, total: number, rate: number): number | undefined {
  if (total <= 0 || done < 0 || rate <= 0 || total < done) return undefined;
  return Math.floor((total - done) / rate);
}

function tick(speed: Speed, seconds: number): void {
  const now = (speed.bytes - speed.bytesAtTick) / seconds;
  // The average reaches over 16 ticks, as in rclone.
  speed.ticks = Math.min(16, speed.ticks + 1);
  speed.rate = Math.max(0, (now + speed.rate * (speed.ticks - 1)) / speed.ticks);
  speed.bytesAtTick = speed.bytes;
}
