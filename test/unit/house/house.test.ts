import { expect, test } from 'vitest';
import { countLines } from '../../../scripts/house/count-lines.ts';
import { countHops, medianHops } from '../../../scripts/house/hops.ts';

const TRACE = [
  'src/shell/a.ts#before:1',
  'src/engine/a.ts#start:1',
  'src/engine/a.ts#inner:9',
  'src/engine/b.ts#copy:4',
  'src/engine/a.ts#inner:9',
  'src/core/c.ts#done:2',
  'src/engine/a.ts#end:7',
  'src/shell/a.ts#after:8',
].join('\n');

test('moves, returns and folder crossings are counted from the first to the last function', () => {
  expect(countHops(TRACE, '#start:', '#end:')).toEqual({
    functions: 5,
    files: 3,
    moves: 4,
    returns: 2,
    crossings: 2,
  });
});

test('a function that the trace does not have is an error, not a count of nothing', () => {
  expect(() => countHops(TRACE, '#renamed:', '#end:')).toThrow('the trace has no #renamed:');
  expect(() => countHops(TRACE, '#start:', '#renamed:')).toThrow('the trace has no #renamed:');
});

test('the median is taken of each count by itself', () => {
  const run = (files: number, moves: number) => ({
    files,
    moves,
    functions: 1,
    returns: 1,
    crossings: 1,
  });
  expect(medianHops([run(1, 9), run(5, 2), run(3, 4)])).toMatchObject({ files: 3, moves: 4 });
});

test('lines of code leave out blank lines and comments, but not text that looks like one', () => {
  const text =
    '/** A page. */\nconst a = 1; // one\n\n/* two\nlines */\nconst b = `\n// no comment\n`;\n';
  const rows = countLines([
    { path: 'src/core/a.ts', text },
    { path: 'src/main.ts', text: 'a();\n' },
    { path: 'commands/b.ts', text: '' },
  ]);
  expect(rows).toEqual([
    { name: 'src/core', files: 1, lines: 8, code: 4 },
    { name: 'src', files: 1, lines: 1, code: 1 },
    { name: 'commands', files: 1, lines: 0, code: 0 },
    { name: 'all', files: 3, lines: 9, code: 5 },
  ]);
});
