import { expect, test } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { goingOn } from '../../../../src/run/guards/bucket-guard.ts';
import { exampleText, isAllowed, trippedBy } from '../../../../src/run/guards/count-guard.ts';

const files = (count: number): FileEntry[] =>
  Array.from({ length: count }, (_, at) => ({ kind: 'file', path: `f${at}`, size: 1 }));

type NumberGuards = Parameters<typeof trippedBy>[0];
const tripped = (guards: NumberGuards, sourceFiles: number, destFiles: number, extra: number) =>
  trippedBy(guards, { sourceFiles, destFiles, extra })?.name;

test('empty: the source has nothing, the destination has', () => {
  expect(tripped({ empty: true }, 0, 1, 1)).toBe('guard empty');
  expect(tripped({ empty: true }, 1, 9, 9)).toBeUndefined();
  expect(tripped({ empty: true }, 0, 0, 0)).toBeUndefined();
});

test('percent: more than a share of at least 100 files', () => {
  expect(tripped({ percent: 50 }, 1, 100, 51)).toBe('guard percent');
  expect(tripped({ percent: 50 }, 1, 100, 50)).toBeUndefined();
  expect(tripped({ percent: 50 }, 1, 99, 99)).toBeUndefined();
  expect(tripped({ percent: 0 }, 1, 1000, 1)).toBe('guard percent');
});

test('the percentage of --max-delete holds for any number of files', () => {
  expect(tripped({ maxDelete: 20 }, 1, 4, 1)).toBe('--max-delete 20%');
  expect(tripped({ maxDelete: 25 }, 1, 4, 1)).toBeUndefined();
});

test('count: more than a number', () => {
  expect(tripped({ count: 3 }, 1, 9, 4)).toBe('guard count');
  expect(tripped({ count: 3 }, 1, 9, 3)).toBeUndefined();
  expect(tripped({ count: 0 }, 1, 9, 0)).toBeUndefined();
});

test('the reason has the numbers, and a share is never rounded to all or nothing', () => {
  const why = (dest: number, extra: number) =>
    trippedBy({ percent: 0 }, { sourceFiles: 1, destFiles: dest, extra })?.why;
  expect(why(2100, 1834)).toBe(
    '1,834 of 2,100 files at the destination would be deleted (87%), more than 0%',
  );
  expect(why(1000, 999)).toContain('(99.9%)');
  expect(why(1000, 1)).toContain('(0.1%)');
  expect(why(100, 100)).toContain('(100%)');
});

test('--allow-deletes holds within a tenth of what is found', () => {
  expect([900, 1100, 1000].every((allowed) => isAllowed(allowed, 1000))).toBe(true);
  expect([899, 1101, 0, undefined].some((allowed) => isAllowed(allowed, 1000))).toBe(false);
  expect(isAllowed(9, 9)).toBe(true);
  expect(isAllowed(10, 9)).toBe(false);
});

test('five examples', () => {
  expect(exampleText(files(5))).toBe('f0, f1, f2, f3, f4');
  expect(exampleText(files(6))).toBe('f0, f1, f2, f3, f4, …');
});

test.each([
  ['sync a b', 'syncer sync a b --guard off'],
  ['sync --guard on a --guard=x b', 'syncer sync a b --guard off'],
  ['--guard on sync -- -a b', 'syncer sync --guard off -- -a b'],
])('%s goes on as %s', (line, command) => {
  expect(goingOn(line.split(' '), { guard: 'off' })).toBe(command);
});
