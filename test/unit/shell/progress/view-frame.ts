import { expect } from 'vitest';
import {
  applyEvent,
  ProgressState,
  tickRates,
} from '../../../../src/shell/progress/progress-state.ts';
import {
  type ViewAction,
  type ViewedRun,
  ViewScreen,
} from '../../../../src/shell/progress/view-keys.ts';
import { type ViewControls, viewLines } from '../../../../src/shell/progress/view-lines.ts';
import { tickView, ViewState } from '../../../../src/shell/progress/view-state.ts';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { cellWidth } from '../../../../src/terminal/cells.ts';
import { type Key, textKey } from '../../../../src/terminal/key.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

/** The keys of a run's view, drawn whole in a window of this size, and what they did; without a clock each counts. */
export function viewScreen(run: ViewedRun, size = { columns: 80, rows: 24 }, nowMs?: () => number) {
  const actions: ViewAction[] = [];
  const model = new ViewScreen(
    () => run,
    (action) => actions.push(action),
  );
  const screen = new ActionScreen<void>(model, nowMs);
  screen.resize(size);
  return {
    model,
    screen,
    actions,
    press(...keys: readonly (Key | string)[]) {
      for (const key of keys.flatMap((one) => (typeof one === 'string' ? typing(one) : [one]))) {
        screen.drew(size, true);
        screen.press(key);
      }
      return model.state;
    },
  };
}

/** The keys of a text. */
export const typing = (text: string): readonly Key[] => [...text].map(textKey);

/** What keys have changed of a run: nothing. */
export const controls: Omit<ViewControls, 'mode' | 'screen'> = {
  hasKeys: true,
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

/** The view of a run as text, which fits into the window. @param more `keys`: what was pressed */
export function frame(
  { state, view }: ReturnType<typeof aRun>,
  columns: number,
  rows: number,
  { keys = [], ...more }: Partial<ViewControls> & { keys?: readonly (Key | string)[] } = {},
  glyphs = UNICODE_GLYPHS,
  nowMs = 4000,
) {
  const style = {
    size: { columns, rows },
    look: { colour: false, glyphs, plain: false },
    unit: 'bytes' as const,
  };
  const shown = { ...controls, ...more };
  const { screen, press } = viewScreen(shown, style.size);
  const mode = press(...keys);
  const lines = viewLines(state, view, { mode, screen, ...shown }, style, nowMs);
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
