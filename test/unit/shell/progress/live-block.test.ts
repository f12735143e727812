import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startLiveBlock } from '../../../../src/shell/progress/live-block.ts';
import { fieldLine } from '../../../../src/terminal/field-line.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import { type Line, span } from '../../../../src/terminal/span.ts';

/** What is on a screen after these texts: enough of a terminal for what the block uses. */
const screenOf = (texts: readonly string[]) => afterTexts(texts).screen;

function afterTexts(texts: readonly string[]) {
  const rows: string[][] = [[]];
  let [x, y] = [0, 0];
  const text = texts.join('');
  for (let i = 0; i < text.length; ) {
    const title = /^\x1b\][^\x07]*\x07/.exec(text.slice(i));
    const code = title ?? /^\x1b\[(\?\d+[lh]|2K|K|\d+[ABC]|[\d;]*m)/.exec(text.slice(i));
    if (code !== null) {
      i += code[0].length;
      const [, what = ''] = code;
      const row = rows[y] ?? [];
      if (what === '2K') rows[y] = [];
      if (what === 'K') rows[y] = row.slice(0, x);
      if (what.endsWith('A')) y = Math.max(0, y - Number.parseInt(what, 10));
      if (what.endsWith('B')) y += Number.parseInt(what, 10);
      if (what.endsWith('C')) x += Number.parseInt(what, 10);
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(i) ?? 0);
    i += char.length;
    if (char === '\r') x = 0;
    else if (char === '\n') {
      y++;
      x = 0;
      rows[y] ??= [];
    } else {
      const row = rows[y] ?? [];
      while (row.length < x) row.push(' ');
      row[x++] = char;
      rows[y] = row;
    }
  }
  return { screen: rows.map((row) => row.join('')), cursor: [x, y] };
}

function start(size = { columns: 40, rows: 24 }) {
  const written: string[] = [];
  const terminal = { write: (text: string) => void written.push(text), size: () => size };
  const block = startLiveBlock(terminal, false);
  return {
    block,
    written,
    draw: (...texts: string[]) => block.draw(texts.map((text): Line => [span(text)])),
    screen: () => screenOf(written),
  };
}

test("the terminal's cursor stands where text is typed, and the block is drawn in its place", () => {
  const { block, written, draw, screen } = start();
  const edited = { text: '漢字1', cursor: 2 };
  const field = fieldLine({ label: 'limit:', edited }, 40, UNICODE_GLYPHS);
  const cursor = () => afterTexts(written).cursor;
  block.draw([[span('one')], field, [span('three')]]);
  expect(cursor()).toEqual([11, 1]);
  block.draw([[span('ONE')], field, [span('three')]]);
  expect([cursor(), screen()]).toEqual([
    [11, 1],
    ['ONE', 'limit: 漢字1', 'three'],
  ]);
  const moved = fieldLine(
    { label: 'limit:', edited: { ...edited, cursor: 3 } },
    40,
    UNICODE_GLYPHS,
  );
  block.draw([[span('ONE')], moved, [span('three')]]);
  expect(cursor()).toEqual([12, 1]);
  block.print('log');
  block.draw([[span('one')], field]);
  expect([cursor(), screen()]).toEqual([
    [11, 2],
    ['log', 'one', 'limit: 漢字1'],
  ]);
  draw('one', 'two', 'three');
  expect([cursor(), screen()]).toEqual([
    [5, 3],
    ['log', 'one', 'two', 'three'],
  ]);
  block.draw([[span('one')], field, [span('three')]]);
  block.leave([[span('done')]]);
  expect([cursor(), screen().slice(0, 3)]).toEqual([
    [0, 2],
    ['log', 'done', ''],
  ]);
});

test('the block is drawn anew in its place, also when it shrinks and grows', () => {
  const { draw, screen } = start();
  draw('one', 'two', 'three');
  expect(screen()).toEqual(['one', 'two', 'three']);
  draw('ONE', 'TWO');
  expect(screen()).toEqual(['ONE', 'TWO', '']);
  draw('1', '2', '3', '4');
  expect(screen()).toEqual(['1', '2', '3', '4']);
});

test('only lines that changed are written', () => {
  const { draw, written } = start();
  draw('one', 'two', 'three');
  draw('one', 'TWO', 'three');
  expect(written.at(-1)).toContain('TWO');
  expect(written.at(-1)).not.toMatch(/one|three/);
  const count = written.length;
  draw('one', 'TWO', 'three');
  expect(written).toHaveLength(count);
});

test('the cursor is at the end of the last line, whichever line has changed', () => {
  const { draw, written } = start();
  draw('one', 'two', 'last line');
  for (const lines of [
    ['1', 'two', 'last line'],
    ['1', '2', 'last line'],
    ['1', '2', 'end'],
    ['', '2', ''],
    ['0', '2', ''],
  ]) {
    draw(...lines);
    expect(afterTexts(written).cursor).toEqual([lines[2]?.length, 2]);
  }
});

test('text scrolls above it', () => {
  const { block, draw, screen } = start();
  draw('one', 'two');
  block.print('first\n');
  block.print('second');
  expect(screen()).toEqual(['one', 'two']);
  draw('ONE', 'TWO');
  expect(screen()).toEqual(['first', 'second', 'ONE', 'TWO']);
});

test('it leaves its last lines, the cursor below them and visible', () => {
  const { block, draw, screen, written } = start();
  draw('one', 'two');
  expect(written[0]).toContain('\x1b[?25l');
  block.print('last\n');
  block.leave([[span('sum')]]);
  expect(screen().slice(0, 3)).toEqual(['last', 'sum', '']);
  expect(written.at(-1)).toMatch(/\x1b\[\?25h$/);
});

test('a block that never was drawn leaves no trace but what was printed', () => {
  const { block, written } = start();
  block.leave();
  expect(written).toEqual([]);
  block.print('text');
  block.leave();
  expect(written).toEqual(['text\n']);
});

test('in a narrower terminal, which has wrapped its lines, all of them are taken away', () => {
  const size = { columns: 40, rows: 24 };
  const { block, draw, written } = start(size);
  draw('x'.repeat(40), 'y'.repeat(25), 'z');
  size.columns = 20;
  block.draw([[span('new')]]);
  expect(written.at(-1)?.match(/\x1b\[1A/g)).toHaveLength(4);
});

test('what a smaller window moved out of sight is taken away in a larger one, unless text follows it', () => {
  const size = { columns: 40, rows: 24 };
  const { block, draw, written } = start(size);
  const ups = () => written.at(-1)?.match(/\x1b\[1A/g)?.length ?? 0;
  const resize = (columns: number, rows: number) => {
    Object.assign(size, { columns, rows });
    draw('new', 'lines');
    return ups();
  };
  const lines = 'abcd'.split('').map((letter) => letter.repeat(40));
  draw(...lines);
  expect(resize(20, 3)).toBe(2);
  expect(resize(40, 24)).toBe(3 + 1);
  expect(resize(30, 24)).toBe(1);
  draw(...lines);
  resize(20, 3);
  block.print('text\n');
  draw('new', 'lines');
  expect(resize(40, 24)).toBe(1);
});

test('wide letters cannot wrap, and a line as wide as the terminal keeps its last letter', () => {
  const { draw, written } = start({ columns: 4, rows: 9 });
  draw('字字', 'ab');
  draw('文字', 'abcd');
  expect(written.at(-1)).toMatch(/^\x1b\[\?7l.*\x1b\[\?7h$/s);
  expect(written.at(-1)).not.toContain('\x1b[K');
});

test('the window is named when the name changes, and no more at the end', () => {
  const { block, written } = start();
  block.draw([[span('x')]], { title: 'ETA: 5s' });
  block.draw([[span('x')]], { title: 'ETA: 5s' });
  block.draw([[span('x')]], { title: 'ETA: 4s' });
  block.leave();
  expect(written.join('').match(/\x1b\]0;[^\x07]*\x07/g)).toEqual([
    '\x1b]0;ETA: 5s\x07',
    '\x1b]0;ETA: 4s\x07',
    '\x1b]0;\x07',
  ]);
});

test('whatever was drawn and printed, the screen shows the texts and then the last block', () => {
  const step = fc.oneof(
    fc.record({ lines: fc.array(fc.stringMatching(/^[a-z]{0,9}$/), { maxLength: 5 }) }),
    fc.record({ text: fc.stringMatching(/^[A-Z]{1,9}$/) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const { block, draw, screen } = start();
      const printed: string[] = [];
      let last: readonly string[] = [];
      for (const one of steps) {
        if ('text' in one) {
          printed.push(one.text);
          block.print(`${one.text}\n`);
        } else if (one.lines.length > 0) {
          last = one.lines;
          draw(...last);
        }
      }
      if (last.length > 0) draw(...last);
      else block.leave();
      const shown = screen().slice(0, printed.length + last.length);
      expect(shown).toEqual([...printed, ...last]);
    }),
  );
});

test('progress in the tab is written when it changes, and taken away at the end', () => {
  const written: string[] = [];
  const block = startLiveBlock(
    { write: (text) => void written.push(text), size: () => ({ columns: 80, rows: 24 }) },
    false,
  );
  const sequences = () =>
    written
      .splice(0)
      .join('')
      .match(/\x1b\][^\x07]*\x07/g);
  block.draw([[span('a')]], { tab: '1;10' });
  expect(sequences()).toEqual(['\x1b]9;4;1;10\x07']);
  block.draw([[span('b')]], { tab: '1;10' });
  expect(sequences()).toBeNull();
  block.leave([], '\x1b]777;notify;syncer;done\x07');
  expect(sequences()).toEqual(['\x1b]9;4;0\x07', '\x1b]777;notify;syncer;done\x07']);
});
