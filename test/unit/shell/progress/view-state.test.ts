import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyEvent,
  currentRate,
  ProgressState,
  tickRates,
} from '../../../../src/shell/progress/progress-state.ts';
import {
  assignRows,
  noteEvent,
  settledSecondsLeft,
  tickView,
  ViewState,
} from '../../../../src/shell/progress/view-state.ts';

function withTransfers(ids: readonly number[]) {
  const state = new ProgressState(0);
  const begin = (id: number) =>
    applyEvent(state, { type: 'transfer-start', id, kind: 'copy', path: `f${id}`, size: 1 });
  for (const id of ids) begin(id);
  return { state, begin, end: (id: number) => applyEvent(state, { type: 'transfer-end', id }) };
}

test('a row keeps its transfer until that ends, then the oldest without a row gets it', () => {
  const { state, begin, end } = withTransfers([1, 2, 3, 4]);
  const view = new ViewState(state);
  assignRows(view, state, 2);
  expect(view.rows).toEqual([1, 2]);
  end(1);
  begin(5);
  assignRows(view, state, 2);
  expect(view.rows).toEqual([3, 2]);
});

test('the view does not shrink at once when there are fewer transfers', () => {
  const { state, end } = withTransfers([1, 2, 3]);
  const view = new ViewState(state);
  assignRows(view, state, 5);
  end(2);
  end(3);
  assignRows(view, state, 5);
  expect(view.rowsKept).toBe(3);
  tickView(view, state, 1000, false);
  tickView(view, state, 2000, false);
  assignRows(view, state, 5);
  expect(view.rowsKept).toBe(1);
});

test('every row has a transfer of its own that goes on, and none stays empty while one waits', () => {
  const step = fc.record({ id: fc.integer({ min: 1, max: 12 }), begins: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 0, max: 6 }), (steps, most) => {
      const { state, begin, end } = withTransfers([]);
      const view = new ViewState(state);
      for (const { id, begins } of steps) {
        if (begins) begin(id);
        else end(id);
        const before = [...view.rows];
        assignRows(view, state, most);
        const shown = view.rows.filter((row) => row !== undefined);
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.length).toBe(Math.min(most, state.active.size));
        before.slice(0, most).forEach((row, at) => {
          if (row !== undefined && state.active.has(row)) expect(view.rows[at]).toBe(row);
        });
      }
    }),
  );
});

test('setbacks are counted by kind; while paused nothing is learned of the end', () => {
  const { state } = withTransfers([1]);
  const view = new ViewState(state);
  noteEvent(view, state, { type: 'wait', why: 'throttled', ms: 500, what: 'S3' }, 10);
  noteEvent(view, state, { type: 'wait', why: 'retry', ms: 500, what: 'put' }, 20);
  expect(view).toMatchObject({ throttled: 1, retried: 1 });
  expect(view.setback).toEqual({ why: 'retry', what: 'put', cause: '', untilMs: 520 });
  state.rate = 1;
  tickView(view, state, 1000, true);
  expect(view.end.told).toBe(0);
  tickView(view, state, 2000, false);
  expect(view.end.told).toBe(1);
});

test('what a run did before the view began is no news', () => {
  const state = new ProgressState(0);
  Object.assign(state, { bytes: 5e9, listed: 1000, transfers: 300 });
  const view = new ViewState(state);
  state.bytes += 7;
  tickView(view, state, 1000, false);
  expect(view).toMatchObject({ history: [7], isListing: false, fileRate: 0 });
});

test('with another bandwidth limit the speed and the end are those of the last second', () => {
  const state = new ProgressState(0);
  const view = new ViewState(state);
  applyEvent(state, { type: 'transfer-start', id: 1, kind: 'copy', path: 'f', size: 1e9 });
  const second = (at: number, bytes: number, limit: number) => {
    applyEvent(state, { type: 'transfer-bytes', id: 1, bytes });
    tickRates(state, at * 1000);
    tickView(view, state, at * 1000, false, limit);
  };
  for (let at = 1; at <= 20; at++) second(at, 20e6, 20e6);
  second(21, 20e6, 5e6);
  for (let at = 22; at <= 24; at++) second(at, 5e6, 5e6);
  expect(currentRate(state, 24_000)).toBe(5e6);
  expect(settledSecondsLeft(view.end, 24_000)).toBe(115);
});
