import { ProgressState } from '../../../src/shell/progress/progress-state.ts';
import {
  foundActions,
  pressViewKey,
  RUN_MODE,
  type ViewMode,
  viewKeys,
} from '../../../src/shell/progress/view-keys.ts';
import { viewLines } from '../../../src/shell/progress/view-lines.ts';
import { ViewState } from '../../../src/shell/progress/view-state.ts';
import { UNICODE_GLYPHS } from '../../../src/terminal/look.ts';
import type { Size } from '../../../src/terminal/screen-model.ts';
import type { Deed, WalkedScreen } from './random-keys.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };

/** The keys of a run's own view. */
export const progress = (isStopping: boolean) => (): WalkedScreen => {
  let mode: ViewMode = RUN_MODE;
  const deeds: Deed[] = [];
  return {
    table: () => viewKeys(mode.kind, { isStopping }),
    press(key) {
      const { mode: next, action } = pressViewKey(mode, key, { isStopping });
      const typed = mode.kind === 'limit' ? mode.edited.text : '';
      const found = mode.kind === 'actions' ? foundActions(mode)[mode.cursor]?.name : undefined;
      mode = next;
      if (action?.type === 'end-now') deeds.push({ what: 'stop now', names: [], keys: ['^C'] });
      if (action?.type === 'stop') {
        const keys = ['q', '^C', ...(found?.startsWith('stop') === true ? ['Enter'] : [])];
        deeds.push({ what: 'stop', names: [], keys });
      }
      if (action?.type === 'limit') deeds.push({ what: 'limit', names: [typed], keys: ['Enter'] });
    },
    resize: () => undefined,
    look() {
      const shown = mode.kind === 'limit' ? mode.edited.text : '';
      return () => shown;
    },
    deeds: () => deeds.splice(0),
    isOver: () => false,
  };
};

/** The keys of the view of another run. */
export const attached = (): WalkedScreen => {
  const run = { isStopping: false, attachedTo: 'copy a b' };
  const state = new ProgressState(0);
  let mode: ViewMode = RUN_MODE;
  let size: Size = { columns: 80, rows: 24 };
  const deeds: Deed[] = [];
  return {
    table: () => viewKeys(mode.kind, run),
    press(key) {
      const { mode: next, action } = pressViewKey(mode, key, run);
      mode = next;
      if (action?.type === 'stop') deeds.push({ what: 'stop', names: ['7k3f'], keys: ['y'] });
      if (action?.type === 'end-now') deeds.push({ what: 'stop now', names: [], keys: [] });
    },
    resize(to) {
      size = to;
    },
    look() {
      const controls = {
        ...{ hasKeys: true, mode, attachedTo: '7k3f: sync a b', isPaused: false },
        ...{ isStopping: false, width: 4, limit: undefined },
      };
      const style = { size, look: LOOK, unit: 'bytes' as const };
      const lines = viewLines(state, new ViewState(state), controls, style, 0);
      return () => lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
    },
    deeds: () => deeds.splice(0),
    isOver: () => false,
  };
};
