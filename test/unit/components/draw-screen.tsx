import { EventEmitter } from 'node:events';
import { type Instance, render, renderToString } from 'ink';
import type { ComponentType } from 'react';
import { onTestFinished } from 'vitest';
import { LookProvider, type ScreenViewProps, screenView } from '../../../components/ui/screen.tsx';
import { ActionScreen } from '../../../src/terminal/action-screen.ts';
import { type Look, UNICODE_GLYPHS } from '../../../src/terminal/look.ts';
import type { KeyedScreen, Size } from '../../../src/terminal/screen-model.ts';

/** Unicode, without colour. */
const PLAIN_LOOK: Look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };

/** Windows in which every question can be read and answered: columns and rows. */
export const WINDOWS = [
  [200, 50],
  [120, 40],
  [110, 30],
  [100, 30],
  [100, 24],
  [80, 24],
  [40, 12],
] as const;

/** A screen with its actions, and what Ink draws of it. */
export interface ShownScreen<Result> {
  readonly screen: ActionScreen<Result>;
  /** Draws it as it is now. @returns the rows of the window, without blanks at their ends */
  draw(size: Size, look?: Look): readonly string[];
}

/** What Ink draws of a screen in a window of this size. */
export function drawnOnce<Model extends KeyedScreen<unknown>>(
  screen: ActionScreen<unknown>,
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
  size: Size,
  look = PLAIN_LOOK,
): string {
  const Shown = screenView(model, View, '');
  screen.resize(size);
  return renderToString(
    <LookProvider look={look}>
      <Shown model={screen} size={size} />
    </LookProvider>,
    { columns: size.columns },
  );
}

/** Shows a screen in a terminal that is none, until the test ends. */
export function showScreen<Result, Model extends KeyedScreen<Result>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
  title = '',
  nowMs?: () => number,
): ShownScreen<Result> {
  const screen = new ActionScreen<Result>(model, nowMs);
  const Shown = screenView(model, View, title);
  let text = '';
  let app: Instance | undefined;
  onTestFinished(() => app?.unmount());
  const stdout = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    isTTY: true,
    write: (frame: string) => {
      text = frame;
    },
  });
  const draw = (size: Size, look = PLAIN_LOOK) => {
    if (stdout.columns !== size.columns || stdout.rows !== size.rows) {
      app?.unmount();
      app = undefined;
    }
    Object.assign(stdout, size);
    screen.resize(size);
    const shown = (
      <LookProvider look={look}>
        <Shown model={screen} size={size} />
      </LookProvider>
    );
    if (app === undefined) {
      const options = { debug: true, patchConsole: false, exitOnCtrlC: false, interactive: true };
      app = render(shown, { ...options, stdout: stdout as never });
    } else app.rerender(shown);
    return text.split('\n').map((line) => line.trimEnd());
  };
  return { screen, draw };
}
