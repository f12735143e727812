import { expect, test } from 'vitest';
import { confirmPage } from '../../../../components/browser/confirm-page.ts';
import { pageFrame } from '../../../../components/browser/frame.ts';
import { isQuestionDrawn } from '../../../../src/terminal/drawn-question.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { type Line, span } from '../../../../src/terminal/span.ts';

const LOOK = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };

const textOf = (line: Line) => line.map(({ text }) => text).join('');

/** A question about 40 names, in a room of this size: what is shown of it, and whether `y` answers. */
function asked(columns: number, rows: number, names = 40) {
  const entries = Array.from({ length: names }, (_, i) => [span(`    name ${i}`)]);
  const head = [span('  Delete ', 'plain', true), span('39 files and 1 directory', 'bad', true)];
  const lines = [head, [span(' ')], ...entries];
  const page = confirmPage({ subject: 'delete?', lines, yes: 'delete', onYes() {}, back() {} });
  const keys = page.keys();
  const frame = { ...pageFrame(page, { columns, rows }, LOOK), hints: keys };
  const shown = frame.lines.map(({ line }) => textOf(line));
  return { shown, canAnswer: isQuestionDrawn(frame, keys, { columns, rows }, LOOK) };
}

test.each([
  [80, 24, 40, true],
  [40, 12, 40, true],
  [20, 8, 40, true],
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
  expect(asked(20, 9).shown.slice(0, 3)).toEqual(['  Delete 39 files', '  and 1 directory', ' ']);
});
