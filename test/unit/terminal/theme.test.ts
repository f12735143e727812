import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paint } from '../../../src/terminal/paint.ts';
import { span } from '../../../src/terminal/span.ts';
import { DEFAULT_THEME, parseTheme, type Role, type Style } from '../../../src/terminal/theme.ts';

describe('a line of a theme file', () => {
  test.each<[string, Role, Style]>([
    ['title = magenta bold underline', 'title', { color: 'magenta', bold: true, underline: true }],
    ['  Key=BRIGHT-RED\r', 'key', { color: 'redBright' }],
    ['bar-old = 208', 'bar-old', { color: 'ansi256(208)' }],
    ['dim = #87AF5f', 'dim', { color: '#87af5f' }],
    ['cursor = none reverse', 'cursor', { inverse: true }],
    ['warning = none dim', 'warning', { dimColor: true }],
    ['bad = red\nbad = none', 'bad', {}],
  ])('%j', (line, role, style) => {
    const text = `\uFEFF# colours\n\n; more\n${line}\n`;
    const expected = { theme: { ...DEFAULT_THEME, [role]: style }, faults: [] };
    expect(parseTheme(text, true)).toEqual(expected);
  });

  test.each([
    ['title', 'not "role = colour"'],
    ['title =', 'not "role = colour"'],
    ['[colours]', 'not "role = colour"'],
    ['heads = red', 'unknown role "heads"; use one of bright, normal, dim, title, '],
    ['toString = red', 'unknown role "tostring"'],
    ['bad = pink', 'unknown colour "pink"; use a name such as red or bright-red, 0 to 255, '],
    ['bad = bright-bright-red', 'unknown colour'],
    ['bad = 256', 'unknown colour "256"'],
    ['bad = #fff', 'unknown colour "#fff"'],
    ['bad = red blink', 'unknown attribute "blink"; use bold, dim, underline or reverse'],
  ])('%j has no effect and is named with its number', (line, why) => {
    const { theme, faults } = parseTheme(`good = blue\n${line}\nkey = red`, true);
    expect(faults).toEqual([{ line: 2, why: expect.stringContaining(why) }]);
    expect(theme).toEqual({ ...DEFAULT_THEME, good: { color: 'blue' }, key: { color: 'red' } });
  });

  test.each([
    ['mouse = off', { mouse: false, faults: [] }],
    ['Mouse=ON', { mouse: true, faults: [] }],
    ['mouse = no', { faults: [{ line: 1, why: 'unknown value "no"; use on or off' }] }],
  ])('%j', (line, read) => {
    expect(parseTheme(line, true)).toEqual({ theme: DEFAULT_THEME, ...read });
  });

  test('without true colour #rrggbb is one of 256', () => {
    const { theme } = parseTheme('bad = #ff0000\ngood = #5f8787', false);
    expect([theme.bad.color, theme.good.color]).toEqual(['ansi256(196)', 'ansi256(66)']);
  });
});

test('the example in docs/config.md is what holds without a file', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/config.md'), 'utf8');
  const [, example = ''] = /\n```ini\n([^`]*bright = [^`]*)```/.exec(page) ?? [];
  expect(parseTheme(example, true)).toEqual({ theme: DEFAULT_THEME, faults: [], mouse: true });
  for (const role of Object.keys(DEFAULT_THEME)) expect(example).toContain(`\n${role} = `);
});

test('spans are painted by the theme, without colour only weight is left', () => {
  const { theme } = parseTheme(
    'bad = bright-red bold\ndirectory = 208 underline\ngood = #010203\nnormal = 7\nbright = white',
    true,
  );
  const line = [
    span('a', 'bad'),
    span('b', 'dir'),
    span('c', 'good', true),
    span('d'),
    span('e', 'plain', true),
    span('f', 'bad', true),
  ];
  expect(paint(line, true, theme)).toBe(
    ['91;1ma', '38;5;208;4mb', '38;2;1;2;3;1mc', '38;5;7md', '37me', '91;1mf']
      .map((part) => `\x1b[${part}\x1b[0m`)
      .join(''),
  );
  expect(paint(line, false, theme)).toBe('ab\x1b[1mc\x1b[0md\x1b[1me\x1b[0m\x1b[1mf\x1b[0m');
});
