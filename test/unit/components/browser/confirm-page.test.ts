import { expect, test } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { askYes } from '../../../../components/browser/text-page.tsx';
import { textKey } from '../../../../src/terminal/key.ts';
import { span } from '../../../../src/terminal/span.ts';
import { listedBrowser } from '../../size-tree/fake-effects.ts';
import { showScreen } from '../draw-screen.tsx';

/** A question about 40 names, in a window of this size: what is shown of it, and whether `y` answers. */
function asked(columns: number, rows: number, names = 40) {
  const entries = Array.from({ length: names }, (_, i) => ({ name: `name ${i}` }));
  const head = [span('  Delete ', 'plain', true), span('39 files and 1 directory', 'bad', true)];
  const lines = [head];
  let canAnswer = false;
  const onYes = () => {
    canAnswer = true;
  };
  const { model, alone } = listedBrowser();
  askYes(model, { subject: 'Delete', lines, names: entries, yes: 'delete', onYes });
  const { screen, draw } = showScreen(alone, BrowserView);
  const shown = draw({ columns, rows });
  screen.press(textKey('y'));
  return { shown, canAnswer };
}

test.each([
  [120, 40, 40, true],
  [100, 20, 40, true],
  [80, 24, 40, true],
  [40, 12, 40, true],
  [32, 8, 40, true],
  [20, 8, 3, true],
  [20, 8, 40, true],
  [20, 7, 40, false],
  [40, 5, 1, true],
  [20, 5, 1, false],
  [20, 5, 40, false],
  [28, 5, 3, false],
  [20, 4, 1, false],
  [14, 24, 1, false],
])('at %d columns and %d rows, about %d names, y answers: %s', (columns, rows, names, expected) => {
  expect(asked(columns, rows, names).canAnswer).toBe(expected);
});

test('what is deleted is read whole in a narrow window', () => {
  expect(asked(20, 9, 4).shown.slice(1, 4)).toEqual(['  Delete 39 files', '  and 1 directory', '']);
});
