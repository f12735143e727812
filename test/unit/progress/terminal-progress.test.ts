import { expect, test } from 'vitest';
import { startTerminalProgress } from '../../../src/progress/terminal-progress.ts';

/** What is on a screen after these texts: enough of a terminal for what the block uses. */
function screenOf(texts: readonly string[], columns: number): string[] {
  const rows: string[][] = [[]];
  let [x, y] = [0, 0];
  const text = texts.join('');
  for (let i = 0; i < text.length; ) {
    const code = /^\x1b\[(\?7[lh]|2K|J|\d+A)/.exec(text.slice(i));
    if (code !== null) {
      i += code[0].length;
      const [, what = ''] = code;
      if (what === '2K') rows[y] = [];
      if (what === 'J') rows.splice(y + 1);
      if (what.endsWith('A')) y = Math.max(0, y - Number.parseInt(what, 10));
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
      row[Math.min(x++, columns - 1)] = char;
      rows[y] = row;
    }
  }
  return rows.map((row) => row.join(''));
}

function start(first: readonly string[], size = { columns: 40, rows: 24 }) {
  const written: string[] = [];
  let lines = first;
  const terminal = { write: (text: string) => void written.push(text), size: () => size };
  const block = startTerminalProgress(terminal, () => lines);
  return {
    block,
    written,
    become: (next: readonly string[]) => {
      lines = next;
      block.draw();
    },
    screen: () => screenOf(written, size.columns),
  };
}

test('the block is drawn anew in its place, also when it shrinks', () => {
  const { become, screen } = start([]);
  become(['one', 'two', 'three']);
  expect(screen()).toEqual(['one', 'two', 'three']);
  become(['ONE', 'TWO']);
  expect(screen()).toEqual(['ONE', 'TWO']);
  become(['1', '2', '3', '4']);
  expect(screen()).toEqual(['1', '2', '3', '4']);
});

test('log lines scroll above it', () => {
  const { block, become, screen } = start([]);
  become(['one', 'two']);
  block.print('first\n');
  block.print('second');
  expect(screen()).toEqual(['one', 'two']);
  become(['ONE', 'TWO']);
  expect(screen()).toEqual(['first', 'second', 'ONE', 'TWO']);
});

test('at the end the cursor stands below it', () => {
  const { block, screen } = start(['one']);
  block.print('last\n');
  block.finish();
  expect(screen()).toEqual(['last', 'one', '']);
});

test('nothing is written before it is drawn', () => {
  const { block, written } = start(['one']);
  block.print('x\n');
  expect(written).toEqual([]);
});

test('lines are cut to the width, and there are fewer than the terminal has', () => {
  const { become, screen } = start([], { columns: 5, rows: 3 });
  become(['abcdefgh', '😀😀😀😀😀😀', 'c', 'd']);
  expect(screen()).toEqual(['abcde', '😀😀😀😀😀']);
});

test('tabs become blanks and control characters symbols', () => {
  const { become, screen } = start([]);
  become(['Transferred:   \tx', 'a\x1b[2Jb\n']);
  expect(screen()).toEqual(['Transferred:    x', 'a␛[2Jb␊']);
});

test('wide letters cannot wrap: the terminal is told not to while the block is drawn', () => {
  const { become, written } = start([]);
  become(['字'.repeat(40)]);
  expect(written.join('')).toMatch(/\x1b\[\?7l字+\x1b\[\?7h$/);
});

test('the window is named at every drawing, and no more at the end', () => {
  const written: string[] = [];
  const terminal = {
    write: (text: string) => void written.push(text),
    size: () => ({ columns: 40, rows: 24 }),
  };
  const block = startTerminalProgress(
    terminal,
    () => ['one'],
    () => 'ETA: 5s',
  );
  block.draw();
  expect(written.join('').startsWith('\x1b]0;ETA: 5s\x07')).toBe(true);
  block.finish();
  expect(written.at(-1)).toBe('\n\x1b]0;\x07');
});
