import { ProgressState } from '../../../src/shell/progress/progress-state.ts';
import {
  type ViewAction,
  type ViewedRun,
  ViewScreen,
} from '../../../src/shell/progress/view-keys.ts';
import { viewLines } from '../../../src/shell/progress/view-lines.ts';
import { ViewState } from '../../../src/shell/progress/view-state.ts';
import { ActionScreen } from '../../../src/terminal/action-screen.ts';
import { UNICODE_GLYPHS } from '../../../src/terminal/look.ts';
import type { Size } from '../../../src/terminal/screen-model.ts';
import type { Deed, WalkedScreen } from './random-keys.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };

/** The view of a run with its keys, drawn before each. @param deed what an action does to the run */
function walked(
  run: ViewedRun,
  deed: (action: ViewAction, typed: string, chosen: string) => Deed | undefined,
): WalkedScreen {
  const deeds: (Deed | undefined)[] = [];
  let [typed, chosen] = ['', ''];
  const model = new ViewScreen(
    () => run,
    (action) => deeds.push(deed(action, typed, chosen)),
  );
  const screen = new ActionScreen<void>(model);
  let size: Size = { columns: 80, rows: 24 };
  const resize = (to: Size) => {
    size = to;
    screen.resize(to);
  };
  resize(size);
  return {
    table: () => screen.keys(),
    press(key) {
      typed = model.state.kind === 'limit' ? model.state.edited.text : '';
      const line = screen
        .foundLines({ columns: 80, rows: 24 }, UNICODE_GLYPHS)
        .find(({ selected }) => selected === true)?.line;
      chosen = screen.finding === undefined ? '' : (line?.at(-1)?.text ?? '');
      screen.drew(size, true);
      screen.press(key);
    },
    resize,
    look() {
      const state = new ProgressState(0);
      const controls = { hasKeys: true, isPaused: false, width: 4, limit: undefined };
      const lines = viewLines(
        state,
        new ViewState(state),
        { ...controls, ...run, mode: model.state, screen },
        { size, look: LOOK, unit: 'bytes' },
        0,
      );
      return () => lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
    },
    deeds: () => deeds.splice(0).filter((one) => one !== undefined),
    isOver: () => false,
  };
}

/** The keys of a run's own view. */
export const progress = (isStopping: boolean) => (): WalkedScreen =>
  walked({ isStopping }, ({ type }, typed, chosen) => {
    if (type === 'end-now') return { what: 'stop now', names: [], keys: ['^C'] };
    const keys = ['q', '^C', ...(chosen.startsWith('stop') ? ['Enter'] : [])];
    if (type === 'stop') return { what: 'stop', names: [], keys };
    return type === 'limit' ? { what: 'limit', names: [typed], keys: ['Enter'] } : undefined;
  });

/** The keys of the view of another run. */
export const attached = (): WalkedScreen =>
  walked({ isStopping: false, attachedTo: '7k3f: sync a b' }, ({ type }) => {
    if (type === 'end-now') return { what: 'stop now', names: [], keys: [] };
    return type === 'stop' ? { what: 'stop', names: ['7k3f'], keys: ['y'] } : undefined;
  });
