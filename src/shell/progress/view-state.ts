import type { SyncerEvent } from '../../core/events.ts';
import { causeOf } from './failures.ts';
import {
  type ActiveTransfer,
  isOnlyHashing,
  type ProgressState,
  restartRates,
  secondsLeft,
  totalBytes,
} from './progress-state.ts';

/** A store that asked to slow down, or a call that is tried again. */
export interface Setback {
  readonly why: 'throttled' | 'retry';
  readonly what: string;
  /** Why, where that is known. */
  readonly cause: string;
  /** When the wait it asked for is over, on the run's clock. */
  readonly untilMs: number;
}

/** When a run is expected to end, smoothed so that what is shown does not jump. */
export class SettledEnd {
  /** On the run's clock, in milliseconds; `undefined` while it cannot be told. */
  endMs: number | undefined;
  /** How many guesses in a row there were. */
  told = 0;
  /** How often nothing could be told in a row. */
  silent = 0;
}

/** What the view of a run remembers besides the state of the run, which begins or is further already. */
export class ViewState {
  /** Bytes of each of the last 40 seconds, the newest last. */
  readonly history: number[] = [];
  bytesAtTick: number;
  end = new SettledEnd();
  /** The bandwidth limit at the last tick, in bytes a second; `undefined` for none. */
  limit: number | undefined;
  setback: Setback | undefined;
  /** What transfers wait for, by their ids. */
  readonly waits = new Map<number, Setback>();
  throttled = 0;
  retried = 0;
  /** Entries listed, and files transferred, at the last tick, and how many of these there are a second. */
  listedAtTick: number;
  isListing = false;
  filesAtTick: number;
  fileRate = 0;
  /** The small files that share a row: the directory that all are in, with a slash at its end; `''`: the root. */
  readonly fold = {
    dir: '',
    /** When that was last right, and when there last were any, on the run's clock. */
    dirMs: Number.NEGATIVE_INFINITY,
    shownMs: Number.NEGATIVE_INFINITY,
  };
  /** The last line from which on the list of errors, or of keys, can be shown. */
  lastFirst = 0;
  /** Which transfer each row shows: a row keeps its transfer until that ends. */
  readonly rows: (number | undefined)[] = [];
  /** How many rows there were lately, so that the view does not jump. */
  rowsKept = 0;

  constructor({ bytes, listed, transfers }: Pick<ProgressState, 'bytes' | 'listed' | 'transfers'>) {
    this.bytesAtTick = bytes;
    this.listedAtTick = listed;
    this.filesAtTick = transfers;
  }
}

/** Notes what of an event only the view shows. */
export function noteEvent(
  view: ViewState,
  { active }: ProgressState,
  event: SyncerEvent,
  nowMs: number,
): void {
  if (event.type !== 'wait' && (event.type !== 'log' || event.code !== 'copy-retry')) return;
  const { why, what, ms, error } =
    event.type === 'wait'
      ? event
      : {
          why: 'retry' as const,
          what: `copy ${event.path ?? ''}`,
          ms: event.fields.ms,
          error: event.fields.why,
        };
  // The words about a request end with the path of a file: `write bucket/dir/file`.
  const transfer = [...active.values()].find(
    ({ path }) => what === path || what.endsWith(` ${path}`) || what.endsWith(`/${path}`),
  );
  const about = transfer?.path ?? what.slice(what.indexOf(' ') + 1);
  const cause = error === undefined ? '' : causeOf(error, about);
  view.setback = { why, what, cause, untilMs: nowMs + ms };
  if (transfer !== undefined) view.waits.set(transfer.id, view.setback);
  if (why === 'throttled') view.throttled++;
  else view.retried++;
}

/**
 * A second has passed. While the run is paused nothing is learned from it; with another bandwidth limit nothing counts
 * that was learned before.
 */
export function tickView(
  view: ViewState,
  state: ProgressState,
  nowMs: number,
  isPaused: boolean,
  limit?: number,
): void {
  if (limit !== view.limit) {
    view.limit = limit;
    view.end = new SettledEnd();
    restartRates(state);
  }
  view.history.push(Math.max(0, state.bytes - view.bytesAtTick));
  if (view.history.length > 40) view.history.shift();
  view.bytesAtTick = state.bytes;
  view.rowsKept = Math.max(0, view.rowsKept - 1);
  view.isListing = state.listed > view.listedAtTick;
  view.listedAtTick = state.listed;
  const files = Math.max(0, state.transfers - view.filesAtTick);
  view.fileRate = view.fileRate === 0 ? files : (files + 3 * view.fileRate) / 4;
  view.filesAtTick = state.transfers;
  for (const [id, { untilMs }] of view.waits) {
    if (untilMs <= nowMs || !state.active.has(id)) view.waits.delete(id);
  }
  if (!isPaused && !isOnlyHashing(state)) {
    settleEnd(view.end, secondsLeft(state.bytes, totalBytes(state), state.rate), nowMs);
  }
}

/** The fold, and its directory, stay for so long after they were last right, in milliseconds. */
const FOLD_KEPT_MS = 3000;

/** The transfers that share one row: those of less than 1 MiB, if there are several or were a moment ago. */
export function foldedTransfers(
  { fold, waits }: ViewState,
  { active }: ProgressState,
  nowMs: number,
): ReadonlySet<number> {
  const small: ActiveTransfer[] = [];
  for (const transfer of active.values()) {
    const { id, size, ticks } = transfer;
    // From three ticks on a transfer gets its own row, however small it is.
    if (size >= 0 && size < 1024 ** 2 && ticks < 3 && !waits.has(id)) small.push(transfer);
  }
  const isLate = nowMs >= fold.shownMs + FOLD_KEPT_MS;
  if (small.length === 0 || (small.length === 1 && isLate)) return new Set();
  if (small.length > 1) fold.shownMs = nowMs;
  const dir = small.map(({ path }) => path).reduce(commonDir, undefined) ?? '';
  if (dir === fold.dir || !dir.startsWith(fold.dir) || nowMs >= fold.dirMs + FOLD_KEPT_MS) {
    fold.dir = dir;
    fold.dirMs = nowMs;
  }
  return new Set(small.map(({ id }) => id));
}

/** The directory with a slash at its end that both `dir` and the file are in. */
function commonDir(dir: string | undefined, path: string): string {
  let common = dir ?? path.slice(0, path.lastIndexOf('/') + 1);
  while (!path.startsWith(common))
    common = common.slice(0, common.lastIndexOf('/', common.length - 2) + 1);
  return common;
}

/**
 * Gives each of at most `most` rows a transfer that is not `folded`; those that have one keep it, others take the oldest
 * without a row.
 */
export function assignRows(
  view: ViewState,
  state: ProgressState,
  most: number,
  folded: ReadonlySet<number> = new Set(),
): void {
  const { rows } = view;
  const shown = new Set<number>();
  rows.length = Math.min(rows.length, most);
  for (let at = 0; at < rows.length; at++) {
    const id = rows[at];
    if (id !== undefined && state.active.has(id) && !folded.has(id)) shown.add(id);
    else rows[at] = undefined;
  }
  let at = 0;
  for (const id of state.active.keys()) {
    if (shown.size >= most) break;
    if (shown.has(id) || folded.has(id)) continue;
    while (rows[at] !== undefined) at++;
    rows[at] = id;
    shown.add(id);
  }
  while (rows.length > 0 && rows.at(-1) === undefined) rows.pop();
  view.rowsKept = Math.min(most, Math.max(view.rowsKept, rows.length));
}

/** The first guesses of a run are wild: nothing is shown before this many. */
const FIRST_SHOWN = 3;

/** Takes the guess of this second: how many seconds the run will still take, `undefined` where that is not known. */
export function settleEnd(end: SettledEnd, secondsLeft: number | undefined, nowMs: number): void {
  if (secondsLeft === undefined) {
    // A guess that is missing for five seconds is dropped.
    if (++end.silent < 5) return;
    end.endMs = undefined;
    end.told = 0;
    return;
  }
  end.silent = 0;
  end.told++;
  const guess = nowMs + secondsLeft * 1000;
  if (end.endMs === undefined || end.told <= FIRST_SHOWN) {
    end.endMs = guess;
    return;
  }
  const left = Math.max(1, (end.endMs - nowMs) / 1000);
  const ratio = (secondsLeft + 1) / (left + 1);
  // How much of the way to the new guess it goes, where both are far apart and where they are near.
  end.endMs += (guess - end.endMs) * (ratio > 1.5 || ratio < 1 / 1.5 ? 0.5 : 0.15);
}

/** How long it will still take, in whole seconds, the coarser the longer; `undefined` while that cannot be told. */
export function settledSecondsLeft(end: SettledEnd, nowMs: number): number | undefined {
  if (end.endMs === undefined || end.told < FIRST_SHOWN) return undefined;
  const seconds = Math.max(0, Math.round((end.endMs - nowMs) / 1000));
  const step = seconds < 60 ? 1 : seconds < 600 ? 5 : seconds < 3600 ? 30 : 60;
  return Math.round(seconds / step) * step;
}
