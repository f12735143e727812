import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Page } from '../../../components/ui/page.tsx';
import { shortQuestion } from '../../../components/ui/question.ts';
import type { ScreenViewProps } from '../../../components/ui/screen.tsx';
import { ActionScreen } from '../../../src/terminal/action-screen.ts';
import { wrap } from '../../../src/terminal/cells.ts';
import { ENLARGE } from '../../../src/terminal/drawn-question.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../../src/terminal/key.ts';
import { ACTIONS, HELP, row } from '../../../src/terminal/key-table.ts';
import type { KeyedScreen, Size } from '../../../src/terminal/screen-model.ts';
import { showScreen } from '../components/draw-screen.tsx';

function opened() {
  const pressed: Key[] = [];
  const screen = new ActionScreen<void>({
    keys: () => [{ ...ACTIONS, run() {} }, row('d', 'delete', 'delete it', () => {})],
    press: (key) => pressed.push(key),
    ...{ resize() {}, subscribe: () => () => {}, version: () => 0 },
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

test('? shows what the keys do; any key goes back and is none of the screen, but for Ctrl-C', () => {
  const pressed: Key[] = [];
  const model: KeyedScreen<void> = {
    keys: () => [HELP, row('d', 'delete', 'delete it', () => {})],
    press: (key) => pressed.push(key),
    ...{ resize() {}, subscribe: () => () => {}, version: () => 0 },
    result: new Promise<void>(() => {}),
  };
  const { screen, draw } = showScreen(model, () => <Page subject="here">{null}</Page>);
  const shown = () => draw({ columns: 40, rows: 6 });
  screen.press(textKey('?'));
  expect(shown()).toEqual([
    'syncer  keys',
    '  ?  show or hide this page',
    '  d  delete it',
    ...['', '', 'any key goes back'],
  ]);
  screen.press(textKey('d'));
  expect([shown()[0], pressed]).toEqual(['syncer  here', [textKey('?')]]);
  screen.press(textKey('?'));
  screen.press(ctrlKey('c'));
  expect([shown()[0], pressed.at(-1)]).toEqual(['syncer  here', ctrlKey('c')]);
});

interface AskingModel extends KeyedScreen<void> {
  asked(): string | undefined;
}

function AskingView({ model }: ScreenViewProps<AskingModel>) {
  const asked = model.asked();
  return (
    <Page question={asked === undefined ? undefined : shortQuestion(asked, 'warn')}>{null}</Page>
  );
}

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
    const model = {
      keys: () => (isAsked ? asks : [row('d', 'delete', '', () => {})]),
      press: ({ text }: Key) => {
        pressed.push(text);
        isAsked = text === 'd';
      },
      resize() {},
      subscribe: () => () => {},
      version: () => 0,
      asked: () => (isAsked ? question : undefined),
      result: new Promise<void>(() => {}),
    };
    const now = () => performance.now();
    const { screen, draw } = showScreen<void, AskingModel>(model, AskingView, '', now);
    return {
      pressed,
      type: (text: string) => {
        for (const letter of text) screen.press(textKey(letter));
      },
      hide: () => screen.hide(),
      resize: (columns: number, rows: number) => screen.resize({ columns, rows }),
      draw: (afterMs = 0, size = { columns: 80, rows: 24 }) => {
        draw(size);
        vi.advanceTimersByTime(afterMs);
        return screen.note();
      },
      shown: (size: Size) => draw(size).join(' '),
    };
  }

  test('counts only once the question has been on the screen for a moment', () => {
    const { pressed, type, draw } = asking();
    draw();
    type('d');
    expect(draw(100)).toBe('');
    type('y');
    expect(pressed).toEqual(['d']);
    expect(draw(100)).toBe('Press y again: it came before this could be read');
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
    const question = 'Apply 3 copies, 3 updates and 3 deletions?';
    const { pressed, type, draw, resize, shown } = asking(question);
    type('d');
    draw(500);
    resize(columns, rows);
    type('y');
    draw(500, { columns, rows });
    expect(shown({ columns, rows })).toContain(wrap(ENLARGE, columns)[0]);
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
