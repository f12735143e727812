import { describe, expect, test } from 'vitest';
import { keysOfLine } from '../../../../components/shared/run-plain-screen.tsx';
import { footerLine } from '../../../../src/terminal/footer-line.ts';
import { ctrlKey, namedKey, pasteKey, textKey } from '../../../../src/terminal/key.ts';
import { spelled } from '../../../../src/terminal/key-table.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';

describe('lines of a plain screen', () => {
  test.each([
    ['', false, [namedKey('enter')]],
    [' Down ', false, [namedKey('down')]],
    ['ctrl-c', true, [ctrlKey('c')]],
    ['^n', false, [ctrlKey('n')]],
    [' d ', false, [textKey('d')]],
    ['Yes', false, [textKey('y')]],
    ['directory', false, []],
    ['down', true, [pasteKey('down'), namedKey('enter')]],
    ['', true, [namedKey('enter')]],
    ['esc', true, [namedKey('escape')]],
  ])('%j where a text is asked for: %s', (line, takesText, keys) => {
    expect(keysOfLine(line, takesText)).toEqual(keys);
  });
});

test('texts of ours are spelled in ASCII where there is no more', () => {
  expect(spelled('also ← and h; 1…9; ↑↓', ASCII_GLYPHS)).toBe('also Left and h; 1...9; Up/Down');
  expect(spelled('also ←, Copy to…', UNICODE_GLYPHS)).toBe('also ←, Copy to…');
});

test('the footer shows a hint whole or not at all', () => {
  const hints = [
    { keys: 'Enter', does: 'open' },
    { keys: 'PgDn', does: 'a whole page down' },
    { keys: 'q', does: 'quit' },
  ];
  const text = (columns: number) =>
    footerLine(hints, columns, ASCII_GLYPHS)
      .map((one) => one.text)
      .join('');
  expect(text(80)).toBe('Enter open | PgDn a whole page down | q quit');
  expect(text(20)).toBe('Enter open | q quit');
  expect(text(3)).toBe('');
});
