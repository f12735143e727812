import { expect, test } from 'vitest';
import { openFits } from '../../../../src/shell/progress/view-lines.ts';
import { namedKey } from '../../../../src/terminal/key.ts';
import { span } from '../../../../src/terminal/span.ts';
import { aRun, controls, frame, viewScreen } from './view-frame.ts';

test.each([
  [80, 24, 'limit: 5x   Not a rate. Use 500k, 10M or off.'],
  [40, 4, 'Not a rate. Use 500k, 10M or off. limit: 5x'],
  [20, 5, 'Not a rate. Use 500k, 10M or off. limit: 5x'],
  [20, 2, 'limit: 5x'],
  [9, 5, 'enlarge the window to answer'],
])('a limit that is typed is seen at %ix%i before any figures', (columns, rows, shown) => {
  const keys = ['b5x', namedKey('enter')];
  const text = frame(aRun(3), columns, rows, { keys }).join(' ');
  expect(text.endsWith(shown)).toBe(true);
  const mode = viewScreen(controls).press(...keys);
  expect(openFits(mode, controls, { columns, rows })).toBe(columns > 9);
});

test.each([
  [20, 4, ['❯ p      pause or r…', '  q      stop after…', ':']],
  [20, 3, ['❯ p      pause or r…', ':']],
  [20, 2, ['enlarge the window']],
])('a list of actions is seen at %ix%i before any figures', (columns, rows, shown) => {
  expect(frame(aRun(3), columns, rows, { keys: [':'] })).toEqual(shown);
});

test.each([
  [40, 8],
  [20, 4],
  [30, 3],
])('the keys can be scrolled at %ix%i, with the way back', (columns, rows) => {
  const run = aRun(3);
  const at = (steps: number, isStopping = false) =>
    frame(run, columns, rows, {
      keys: ['?', ...Array.from({ length: steps }, () => namedKey('down'))],
      isStopping,
    });
  const back = columns < 28 ? /^any key goes back/ : /any key goes back$/;
  expect(at(0, true).at(-1)).toMatch(back);
  expect(at(0).join(' ')).toMatch(/^ +p +pause/);
  const seen = Array.from({ length: 40 }, (_, steps) => at(steps));
  expect(seen.flat().join(' ').replace(/\s+/g, ' ')).toContain('Ctrl-\\ abort');
  for (const lines of seen) expect(lines.at(-1)).toMatch(back);
  expect(at(90)).toEqual(seen.at(-1));
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

test.each([
  [80, 'paused  1 KiB / 9 KiB, 11%, 3 KiB/s, ETA 3s'],
  [20, 'paused  1 KiB / 9 K…'],
])(
  'at %i columns one line instead of the figures says that the run is paused',
  (columns, shown) => {
    const overview = [[span('1 KiB / 9 KiB, 11%, 3 KiB/s, ETA 3s')]];
    expect(frame(aRun(1), columns, 24, { overview, isPaused: true })[0]).toBe(shown);
    expect(frame(aRun(1), 80, 24, { overview, isStopping: true })[0]).toMatch(/^stopping {2}1 KiB/);
    expect(frame(aRun(1), 80, 24, { overview })[0]).toMatch(/^1 KiB/);
    const several = [...overview, ...overview];
    expect(frame(aRun(1), 80, 24, { overview: several, isPaused: true })[0]).toMatch(
      /^paused {2}1 /,
    );
    expect(frame(aRun(1), 80, 24, { overview: several, isStopping: true })[0]).toMatch(/^1 KiB/);
  },
);

test('a narrow window says that the run is paused or stopping before how much is done', () => {
  expect(frame(aRun(1), 20, 3, { isPaused: true })[1]).toMatch(/^paused/);
  expect(frame(aRun(1), 20, 3, { isStopping: true })[1]).toMatch(/^stopping/);
});

test.each([
  [5, 'bar bytes files keys'],
  [4, 'bar bytes keys'],
  [3, 'bar bytes'],
])('in %i rows the keys are there before the number of files', (rows, shown) => {
  const names = frame(aRun(3), 40, rows).map((line) =>
    line.startsWith('files') ? 'files' : line.startsWith('p ') ? 'keys' : '',
  );
  expect(names.map((name, at) => name || ['bar', 'bytes'][at]).join(' ')).toBe(shown);
  const overview = ['bar', 'bytes', 'files', 'more', 'more'].map((text) => [span(text)]);
  expect(frame(aRun(3), 40, rows, { overview }).join(' ').replace(/p .*/, 'keys')).toBe(shown);
});
