import {
  type ActiveTransfer,
  isHashing,
  type ProgressState,
  type Speed,
  totalBytes,
} from './progress-state.ts';

/** How often `tickRates` wants to be called, in milliseconds. */
export const RATE_TICK_MS = 1000;

/** Over how many ticks the average reaches, as in rclone. */
const AVERAGE_TICKS = 16;

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
  speed.ticks = Math.min(AVERAGE_TICKS, speed.ticks + 1);
  speed.rate = Math.max(0, (now + speed.rate * (speed.ticks - 1)) / speed.ticks);
  speed.bytesAtTick = speed.bytes;
}
