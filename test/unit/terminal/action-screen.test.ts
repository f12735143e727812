import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ActionScreen } from '../../../src/terminal/action-screen.ts';
import { wrap } from '../../../src/terminal/cells.ts';
import { ENLARGE } from '../../../src/terminal/drawn-question.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../src/terminal/key.ts';
import { ACTIONS, row } from '../../../src/terminal/key-table.ts';
import { UNICODE_GLYPHS } from '../../../src/terminal/look.ts';
import { span } from '../../../src/terminal/span.ts';

function opened() {
  const pressed: Key[] = [];
  const screen = new ActionScreen<void>({
    keys: () => [{ ...ACTIONS, run() {} }, row('d', 'delete', 'delete it', () => {})],
    press: (key) => pressed.push(key),
    ...{ resize() {}, subscribe: () => () => {}, version: () => 0 },
    frame: () => ({ subject: '', aside: '', lines: [], hints: [] }),
    result: new Promise<void>(() => {}),
  });
  screen.press(textKey(':'));
  return { screen, pressed };
}

test('Ctrl-C leaves the list of actions, and is the key of the screen', () => {
  const { screen, pressed } = opened();
  expect(screen.finding).toBeDefined();
  screen.press(ctrlKey('c'));
  expect([screen.finding, pressed]).toEqual([undefined, [ctrlKey('c')]]);
});

test('what is typed finds an action, and Enter presses its key', () => {
  const { screen, pressed } = opened();
  for (const letter of 'dele') screen.press(textKey(letter));
  expect([screen.finding?.typed.text, pressed]).toEqual(['dele', []]);
  screen.press(namedKey('enter'));
  expect([screen.finding, pressed]).toEqual([undefined, [textKey('d')]]);
});

test('Enter runs nothing that was chosen neither by typing nor by an arrow', () => {
  const { screen, pressed } = opened();
  for (const key of [namedKey('enter'), textKey('d'), namedKey('backspace'), namedKey('enter')])
    screen.press(key);
  expect([screen.finding?.typed.text, pressed]).toEqual(['', []]);
  screen.press(namedKey('down'));
  screen.press(namedKey('enter'));
  expect(pressed).toEqual([textKey('d')]);
});

describe('what confirms a question', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function asking(question = 'Delete all?') {
    let isAsked = false;
    const pressed: string[] = [];
    const asks = [
      row('y', 'delete', '', () => {}, { confirms: true }),
      row('p', 'a', 'ask again', () => {}),
      row('n', 'no', '', () => {}),
    ];
    const screen = new ActionScreen<void>(
      {
        keys: () => (isAsked ? asks : [row('d', 'delete', '', () => {})]),
        press: ({ text }) => {
          pressed.push(text);
          isAsked = text === 'd';
        },
        ...{ resize() {}, subscribe: () => () => {}, version: () => 0 },
        frame: ({ columns }) => {
          const asked = wrap(question, columns).map((text) => [span(text)]);
          const lines = asked.map((line) => ({ line }));
          return { subject: '', aside: '', lines, asked, hints: isAsked ? asks : [] };
        },
        result: new Promise<void>(() => {}),
      },
      () => performance.now(),
    );
    return {
      pressed,
      type: (text: string) => {
        for (const letter of text) screen.press(textKey(letter));
      },
      hide: () => screen.hide(),
      resize: (columns: number, rows: number) => screen.resize({ columns, rows }),
      draw: (afterMs = 0, size = { columns: 80, rows: 24 }) => {
        const look = { colour: false, glyphs: UNICODE_GLYPHS, plain: false };
        const { status, lines } = screen.frame(size, look);
        vi.advanceTimersByTime(afterMs);
        const shown = status ?? (afterMs > 0 ? [] : lines.flatMap(({ line }) => line));
        return shown.map(({ text }) => text).join(' ');
      },
    };
  }

  test('counts only once the question has been on the screen for a moment', () => {
    const { pressed, type, draw } = asking();
    draw();
    type('d');
    expect(draw(100)).toBe('');
    type('y');
    expect(pressed).toEqual(['d']);
    expect(draw(100)).toBe(
      'Press y again: it came too soon after this was shown, or with another key',
    );
    type('y');
    expect(pressed).toEqual(['d']);
    draw(200);
    type('y');
    expect(pressed).toEqual(['d', 'y']);
    expect(draw(1)).toBe('');
  });

  test('counts only once the question is drawn again after another program has had the terminal', () => {
    const { pressed, type, draw, hide } = asking();
    type('d');
    draw(500);
    hide();
    type('y');
    draw(100);
    type('y');
    expect(pressed).toEqual(['d']);
    draw(500);
    type('y');
    expect(pressed).toEqual(['d', 'y']);
  });

  test.each([
    [40, 2],
    [40, 3],
    [80, 1],
    [80, 2],
    [12, 24],
    [14, 24],
  ])('is nothing at %sx%s, where the question or its keys are cut', (columns, rows) => {
    const { pressed, type, draw, resize } = asking('Apply 3 copies, 3 updates and 3 deletions?');
    type('d');
    draw(500);
    resize(columns, rows);
    type('y');
    draw(500, { columns, rows });
    expect(draw(0, { columns, rows })).toBe(wrap(ENLARGE, columns).join(' '));
    type('y');
    expect(pressed).toEqual(['d']);
    draw(500);
    type('y');
    expect(pressed).toEqual(['d', 'y']);
  });

  test('is no key that is held down, nor one behind another key', () => {
    const { pressed, type, draw } = asking();
    type('d');
    draw(150);
    for (let times = 0; times < 30; times++) {
      type('y');
      draw(33);
    }
    draw(160);
    type('d');
    draw(190);
    type('y');
    expect(pressed).toEqual(['d', 'd']);
    draw(200);
    type('y');
    expect(pressed).toEqual(['d', 'd', 'y']);
  });

  test('of the next question too', () => {
    const { pressed, type, draw } = asking();
    type('d');
    draw(500);
    type('nydy');
    expect(pressed).toEqual(['d', 'n', 'y', 'd']);
    draw(500);
    type('y');
    expect(pressed.at(-1)).toBe('y');
  });
});
