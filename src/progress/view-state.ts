import type { SyncerEvent } from '../core/events.ts';
import { type ProgressState, totalBytes } from './progress-state.ts';
import { type SettledEnd, settleEnd, startSettling } from './settled-time-left.ts';
import { secondsLeft } from './transfer-rate.ts';

/** A store that asked to slow down, or a call that is tried again. */
export interface Setback {
  readonly why: 'throttled' | 'retry';
  readonly what: string;
  /** When the wait it asked for is over, on the run's clock. */
  readonly untilMs: number;
  readonly atMs: number;
}

/** What the view of a run remembers besides the state of the run. */
export interface ViewState {
  /** Bytes of each of the last seconds, the newest last. */
  readonly history: number[];
  bytesAtTick: number;
  readonly end: SettledEnd;
  setback: Setback | undefined;
  throttled: number;
  retried: number;
  /** Which transfer each row shows: a row keeps its transfer until that ends. */
  readonly rows: (number | undefined)[];
  /** How many rows there were lately, so that the view does not jump. */
  rowsKept: number;
}

/** How many seconds the history goes back. */
const HISTORY = 40;

/** The view of a run that begins. */
export function startView(): ViewState {
  return {
    history: [],
    bytesAtTick: 0,
    end: startSettling(),
    setback: undefined,
    throttled: 0,
    retried: 0,
    rows: [],
    rowsKept: 0,
  };
}

/** Notes what of an event only the view shows. */
export function noteEvent(view: ViewState, event: SyncerEvent, nowMs: number): void {
  if (event.type !== 'wait') return;
  const { why, what, ms } = event;
  view.setback = { why, what, untilMs: nowMs + ms, atMs: nowMs };
  if (why === 'throttled') view.throttled++;
  else view.retried++;
}

/** A second has passed. While the run is paused nothing is learned from it. */
export function tickView(
  view: ViewState,
  state: ProgressState,
  nowMs: number,
  isPaused: boolean,
): void {
  view.history.push(Math.max(0, state.bytes - view.bytesAtTick));
  if (view.history.length > HISTORY) view.history.shift();
  view.bytesAtTick = state.bytes;
  view.rowsKept = Math.max(0, view.rowsKept - 1);
  if (!isPaused) {
    settleEnd(view.end, secondsLeft(state.bytes, totalBytes(state), state.rate), nowMs);
  }
}

/** Gives each of at most `most` rows a transfer; those that have one keep it, others take the oldest without a row. */
export function assignRows(view: ViewState, state: ProgressState, most: number): void {
  const { rows } = view;
  const shown = new Set<number>();
  rows.length = Math.min(rows.length, most);
  for (let at = 0; at < rows.length; at++) {
    const id = rows[at];
    if (id !== undefined && state.active.has(id)) shown.add(id);
    else rows[at] = undefined;
  }
  let at = 0;
  for (const id of state.active.keys()) {
    if (shown.size >= most) break;
    if (shown.has(id)) continue;
    while (rows[at] !== undefined) at++;
    rows[at] = id;
    shown.add(id);
  }
  while (rows.length > 0 && rows.at(-1) === undefined) rows.pop();
  view.rowsKept = Math.min(most, Math.max(view.rowsKept, rows.length));
}
