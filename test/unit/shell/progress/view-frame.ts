import { expect } from 'vitest';
import {
  applyEvent,
  ProgressState,
  tickRates,
} from '../../../../src/shell/progress/progress-state.ts';
import { RUN_MODE } from '../../../../src/shell/progress/view-keys.ts';
import { type ViewControls, viewLines } from '../../../../src/shell/progress/view-lines.ts';
import { tickView, ViewState } from '../../../../src/shell/progress/view-state.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

/** What keys have changed of a run: nothing. */
export const controls: ViewControls = {
  hasKeys: true,
  mode: RUN_MODE,
  isPaused: false,
  isStopping: false,
  width: 4,
  limit: undefined,
};

/** A run after four seconds, with so many transfers going on. */
export function aRun(active: number) {
  const state = new ProgressState(0);
  const view = new ViewState(state);
  applyEvent(state, { type: 'transfer-queued', files: 20, bytes: 20e6 });
  for (let id = 1; id <= active; id++) {
    const path =
      id === 2 ? 'ファイル\x1b[2J/写真.jpg' : `photos/2024/a long name of a file number ${id}.jpg`;
    applyEvent(state, { type: 'transfer-start', id, kind: 'copy', path, size: 1e6 });
  }
  for (let second = 1; second <= 4; second++) {
    for (let id = 1; id <= active; id++)
      applyEvent(state, { type: 'transfer-bytes', id, bytes: id * 10_000 });
    tickRates(state, second * 1000);
    tickView(view, state, second * 1000, false);
  }
  return { state, view };
}

/** The view of a run as text, which fits into the window. */
export function frame(
  { state, view }: ReturnType<typeof aRun>,
  columns: number,
  rows: number,
  more: Partial<ViewControls> = {},
  glyphs = UNICODE_GLYPHS,
  nowMs = 4000,
) {
  const style = {
    size: { columns, rows },
    look: { colour: false, glyphs, plain: false },
    unit: 'bytes' as const,
  };
  const lines = viewLines(state, view, { ...controls, ...more }, style, nowMs);
  const texts = lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  for (const text of texts) expect(cellWidth(text)).toBeLessThanOrEqual(columns);
  expect(texts.length).toBeLessThan(rows);
  return texts;
}
