import { expect, test } from 'vitest';
import { openFits } from '../../../src/progress/view-lines.ts';
import { editText } from '../../../src/screen/text-edit.ts';
import { aRun, controls, frame } from './view-frame.ts';

const literal = (text: string) => text.replace(/[().]/g, '\\$&');

test.each([
  [80, 24, 'limit (500k, 10M, off): 5x_  Not a rate. Use 500k.'],
  [40, 4, 'Not a rate. Use 500k. limit (500k, 10M, off): 5x_'],
  [20, 5, 'Not a rate. Use 500k. limit: 5x_'],
  [20, 2, 'limit: 5x_'],
  [9, 5, 'enlarge the window to answer'],
])('a limit that is typed is seen at %ix%i before any figures', (columns, rows, shown) => {
  const complaint = 'Not a rate. Use 500k.';
  const mode = { kind: 'limit', edited: editText('5x'), complaint } as const;
  expect(frame(aRun(3), columns, rows, { mode }).join(' ')).toMatch(
    new RegExp(`${literal(shown)}$`),
  );
  expect(openFits(mode, controls, { columns, rows })).toBe(columns > 9);
});

test.each([
  [20, 4, ['❯ p      pause or r…', '  q      stop after…', ': _']],
  [20, 3, ['❯ p      pause or r…', ': _']],
  [20, 2, ['enlarge the window']],
])('a list of actions is seen at %ix%i before any figures', (columns, rows, shown) => {
  const mode = { kind: 'actions', typed: editText(''), cursor: 0 } as const;
  expect(frame(aRun(3), columns, rows, { mode })).toEqual(shown);
  expect(openFits(mode, controls, { columns, rows })).toBe(rows > 2);
});

test.each([
  [40, 8],
  [20, 4],
  [30, 3],
])('the keys can be scrolled at %ix%i, with the way back', (columns, rows) => {
  const run = aRun(3);
  const at = (first: number, isStopping = false) =>
    frame(run, columns, rows, { mode: { kind: 'help', first }, isStopping });
  expect(at(0, true).at(-1)).toMatch(/^\? back/);
  expect(at(0).join(' ')).toMatch(/^ +p +pause/);
  const seen = Array.from({ length: run.view.lastFirst + 1 }, (_, first) => at(first));
  expect(seen.flat().join(' ').replace(/\s+/g, ' ')).toContain('Ctrl-\\ abort');
  for (const lines of seen) expect(lines.at(-1)).toMatch(/^\? back/);
  expect(at(1e9)).toEqual(seen.at(-1));
});

test.each([
  [80, /KiB\/s \(limit 1\.0 MiB\/s\) {2}█+ {2}ETA/],
  [54, /KiB\/s {2}█+ {2}ETA/],
  [40, /KiB\/s {2}ETA/],
])('at %i columns the limit goes before the graph, and that before the speed', (columns, shown) => {
  expect(frame(aRun(3), columns, 12, { limit: 1024 ** 2 })[1]).toMatch(shown);
});

test('a narrow window shows which key leaves a run that is stopping', () => {
  const stopping = { isStopping: true, attachedTo: 'syncer sync a b' };
  expect(frame(aRun(1), 30, 12, stopping).at(-1)).toBe('q detaches; finishing the cur…');
});
