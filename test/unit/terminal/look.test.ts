import { describe, expect, test } from 'vitest';
import { scrollTo } from '../../../src/terminal/cursor-list.ts';
import { keysOfText } from '../../../src/terminal/key.ts';
import { ASCII_GLYPHS, lookOf, UNICODE_GLYPHS } from '../../../src/terminal/look.ts';

describe('the look of a terminal', () => {
  const utf8 = { LANG: 'en_US.UTF-8', TERM: 'xterm' };
  test.each([
    [utf8, true, UNICODE_GLYPHS, false],
    [{ ...utf8, NO_COLOR: '1' }, false, UNICODE_GLYPHS, false],
    [{ ...utf8, NO_COLOR: '' }, true, UNICODE_GLYPHS, false],
    [{ ...utf8, LC_ALL: 'C' }, true, ASCII_GLYPHS, false],
    [{ TERM: 'xterm' }, true, ASCII_GLYPHS, false],
    [{ ...utf8, TERM: 'dumb' }, false, UNICODE_GLYPHS, true],
    [{ ...utf8, SYNCER_PLAIN: '1' }, false, UNICODE_GLYPHS, true],
  ])('%j', (env, colour, glyphs, plain) => expect(lookOf(env)).toEqual({ colour, glyphs, plain }));

  test('--color wins', () => {
    expect(lookOf({ ...utf8, NO_COLOR: '1' }, true).colour).toBe(true);
    expect(lookOf(utf8, false).colour).toBe(false);
  });
});

test('keys that came together are single keys', () => {
  const names = keysOfText('n\rü\t\x7f\x1b\x03').map(({ name, text, ctrl }) => [name, text, ctrl]);
  expect(names).toEqual([
    ['text', 'n', false],
    ['enter', '', false],
    ['text', 'ü', false],
    ['tab', '', false],
    ['backspace', '', false],
    ['escape', '', false],
    ['text', 'c', true],
  ]);
});

test.each([
  [0, 0, 5, 10, 0],
  [0, 7, 5, 10, 3],
  [6, 2, 5, 10, 2],
  [6, 7, 5, 10, 5],
  [3, 1, 5, 2, 0],
])('first line %i, cursor %i, %i rows of %i: %i', (first, cursor, rows, total, expected) => {
  expect(scrollTo(first, cursor, rows, total)).toBe(expected);
});
