import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { type Key, textKey } from '../../../../src/terminal/key.ts';
import { ruleOf } from '../../../../src/terminal/key-table.ts';
import { listedBrowser } from '../../size-tree/fake-effects.ts';
import { drawnOnce } from '../draw-screen.tsx';

/** After its own scan, with failed and finished tasks; `before` in the notation of the browser's tests. */
const browser = (before: readonly string[], { hasTasks = false } = {}) => {
  return () => {
    const shown = listedBrowser();
    if (hasTasks) {
      shown.keys('dyjdy');
      shown.removals[0]?.report.failed(1, 'big', 'refused');
    }
    const screen = new ActionScreen(shown.alone);
    const draw = () => drawnOnce(screen, shown.alone, BrowserView, { columns: 200, rows: 7 });
    for (const keys of before) {
      if (keys.startsWith('?')) for (const key of keys) screen.press(textKey(key));
      else shown.keys(keys);
      draw();
    }
    let end = 'open';
    let repaints = 0;
    shown.alone.result.then(
      () => {
        end = 'left';
      },
      (error) => {
        end = String(error);
      },
    );
    return {
      table: () => screen.keys(),
      press(pressed: Key) {
        // As in `ScreenRoot`.
        if (ruleOf(screen.keys(), pressed)?.keys === '^L') repaints++;
        screen.press(pressed);
      },
      async seen() {
        await new Promise(setImmediate);
        const { message, pages, marks, tasks, rows } = shown.model;
        return [
          ...[draw(), message, repaints, pages.length],
          ...[[...marks], tasks.tasks.length, tasks.unfinished, rows.dir, rows.cursor],
          ...[shown.scans.length, shown.copied.length, end, screen.finding, screen.helpFrom],
        ];
      },
    };
  };
};

/** The states in which all keys of the browser do something. */
export const BROWSER_STATES = {
  list: browser(['jj']),
  'first of the list': browser(['']),
  directory: browser(['<right>j']),
  'with marks': browser(['jvjv']),
  filtered: browser(['/i<enter>']),
  filter: browser(['/i']),
  'filter, second entry': browser(['/i<down>']),
  help: browser(['?jj']),
  basket: browser(['jvjvBj']),
  tasks: browser(['T'], { hasTasks: true }),
  'no failures': browser(['Tj', '<enter>'], { hasTasks: true }),
  'keys of the basket': browser(['jvB', '?']),
  'second task': browser(['Tj'], { hasTasks: true }),
  failures: browser(['T', '<enter>'], { hasTasks: true }),
  info: browser(['<end>i']),
  'info of a directory': browser(['i', 'j']),
  view: browser(['<end>o']),
  delete: browser(['d']),
  destination: browser(['px']),
  leave: browser(['q'], { hasTasks: true }),
  find: browser(['Fo']),
  'find, second entry': browser(['Fo', '<down>']),
  'largest files': browser(['vL']),
  'largest files, second': browser(['vL', 'j']),
  extensions: browser(['L3']),
  'with an excluded entry': browser(['X']),
  'hide names': browser(['Hsmal']),
};
