import { Box } from 'ink';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Page } from '../../../../components/ui/page.tsx';
import type { PageQuestion } from '../../../../components/ui/question.ts';
import type { ScreenViewProps } from '../../../../components/ui/screen.tsx';
import { Paragraph } from '../../../../components/ui/text.tsx';
import { type Key, textKey } from '../../../../src/terminal/key.ts';
import { keyName, row } from '../../../../src/terminal/key-table.ts';
import { span } from '../../../../src/terminal/span.ts';
import { textLines } from '../../../../src/terminal/text-lines.ts';
import { showScreen } from '../draw-screen.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUESTION = 'Delete 3 files and 2 directories in photos:2024/summer?';

interface AskingModel {
  readonly question: PageQuestion;
  /** A box around it shows its first line only. */
  readonly isCut: boolean;
}

function AskingView({ model: { question, isCut } }: ScreenViewProps<AskingModel>) {
  return (
    <Box height={isCut ? 24 : 30} overflow="hidden">
      <Box marginTop={isCut ? 23 : 0} flexShrink={0}>
        <Page question={question}>
          <Paragraph text="content" />
        </Page>
      </Box>
    </Box>
  );
}

/** A screen that asks, and the keys that its question took. */
function asking(question: PageQuestion, isCut = false) {
  const pressed: string[] = [];
  let asked: unknown = QUESTION;
  let version = 0;
  const keys = [
    row('y', 'delete', '', () => {}, { confirms: true }),
    row('n', 'cancel', '', () => {}, { also: 'Enter' }),
  ];
  const model = {
    keys: () => keys,
    asked: () => asked,
    press: (key: Key) => void pressed.push(keyName(key)),
    resize() {},
    subscribe: () => () => {},
    version: () => version,
    result: new Promise<void>(() => {}),
    question,
    isCut,
  };
  const { screen, draw } = showScreen(model, AskingView, 'test', () => performance.now());
  return {
    pressed,
    screen,
    ask: (other: unknown) => {
      asked = other;
      version++;
    },
    draw: (columns: number, rows: number) => {
      const text = draw({ columns, rows }).join('\n');
      vi.advanceTimersByTime(500);
      return text;
    },
    y: () => screen.press(textKey('y')),
  };
}

const lines = ({ columns }: { columns: number }) =>
  textLines(QUESTION, columns).map((line) => ({ line }));
const words = (text: string) => text.replace(/[\s│]+/g, ' ');

test.each([
  [120, 30, true],
  [80, 24, true],
  [40, 12, true],
  [20, 6, true],
  [20, 5, true],
  [20, 4, false],
  [15, 24, false],
  [80, 2, false],
  [1, 4, false],
])('at %sx%s it is whole and can be confirmed: %s', (columns, rows, isWhole) => {
  const { pressed, draw, y } = asking({ lines });
  expect(words(draw(columns, rows)).includes(QUESTION)).toBe(isWhole);
  y();
  expect(pressed).toEqual(isWhole ? ['y'] : []);
});

test('a part of it is enough where the rest scrolls', () => {
  const long = {
    lines: () => Array.from({ length: 40 }, (_, at) => ({ line: [span(`line ${at}`)] })),
  };
  const enough = asking({ ...long, enough: 6 });
  enough.draw(80, 24);
  enough.y();
  expect(enough.pressed).toEqual(['y']);
  const all = asking(long);
  expect(all.draw(80, 24)).toContain('enlarge the window');
  all.y();
  expect(all.pressed).toEqual([]);
});

test('in a box that cuts it off it takes no answer', () => {
  const { pressed, draw, y } = asking({ lines }, true);
  draw(80, 24);
  y();
  expect(pressed).toEqual([]);
});

test.each([
  [120, 30, 2],
  [80, 24, 1],
])('at %sx%s it can stand above the content, as a list', (columns, rows, top) => {
  const list = ['Delete?', 'y  yes', 'n  no'].map((text, at) => ({ line: [span(text)], at }));
  const { draw, pressed, screen, y } = asking({
    lines: () => list.map((line) => ({ ...line, selected: line.at === 1 })),
    isAbove: true,
    opens: true,
  });
  const shown = draw(columns, rows).split('\n');
  expect(shown.slice(top, top + 4)).toEqual(['Delete?', 'y  yes', 'n  no', 'content']);
  screen.point({ kind: 'click', column: 2, row: top + 1 });
  expect(pressed).toEqual(['Enter']);
  draw(columns, rows);
  y();
  expect(pressed).toEqual(['Enter', 'y']);
});

test('another question, or another size of the window, is to be drawn first', () => {
  const { pressed, draw, y, ask, screen } = asking({ lines });
  draw(80, 24);
  ask('another one');
  y();
  expect(pressed).toEqual([]);
  draw(80, 24);
  screen.resize({ columns: 79, rows: 24 });
  y();
  expect(pressed).toEqual([]);
  draw(79, 24);
  y();
  expect(pressed).toEqual(['y']);
});

test('a page that asks without a question takes no answer', () => {
  const { pressed, draw, y } = asking({ lines: () => [] });
  expect(draw(80, 24)).toContain('enlarge the window');
  y();
  expect(pressed).toEqual([]);
});
