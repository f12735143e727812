import { expect, test } from 'vitest';
import { fitParts, part } from '../../../src/terminal/fit-parts.ts';
import { paint } from '../../../src/terminal/paint.ts';
import { span } from '../../../src/terminal/span.ts';

test('tones are colours of the terminal, without colour only weight is left', () => {
  const line = [span('a'), span('b', 'bad'), span('c', 'accent', true), span('', 'bad')];
  expect(paint(line, true)).toBe('a\x1b[31mb\x1b[0m\x1b[36;1mc\x1b[0m');
  expect(paint(line, false)).toBe('ab\x1b[1mc\x1b[0m');
  expect(paint([span('x'), span(' ', 'cursor')], false)).toBe('x\x1b[7m \x1b[0m');
});

test('what a terminal would obey in a text is shown', () => {
  expect(paint([span('a\x1b[2J'), span('\x9b\u202e', 'bad')], true)).toBe('a␛[2J\x1b[31m��\x1b[0m');
});

test('parts that matter least go first, those that stay keep their order', () => {
  const parts = [part(2, 'second'), part(0, 'most'), part(1, 'then'), part(3, '')];
  const text = (columns: number) =>
    fitParts(parts, columns, ' | ')
      .map((one) => one.text)
      .join('');
  expect(text(40)).toBe('second | most | then');
  expect(text(19)).toBe('most | then');
  expect(text(5)).toBe('most');
  expect(text(3)).toBe('');
});
