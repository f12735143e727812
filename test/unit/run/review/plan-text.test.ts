import { expect, test } from 'vitest';
import { planText } from '../../../../src/run/review/run-review.ts';
import { aPlan, MIXED } from './a-plan.ts';

test('a line for each change in the order of the paths, and the sums', () => {
  expect([...planText(MIXED)].join('')).toBe(`R        8 B moved/new: reason of moved/new
T        7 B notes.txt: reason of notes.txt
-            old/: reason of old
-            old/deep/: reason of old/deep
D        6 B old/deep/y: reason of old/deep/y
D        5 B old/x: reason of old/x
C     1000 B photos/2024/a.jpg: reason of photos/2024/a.jpg
C    1.9 KiB photos/2024/b.jpg: reason of photos/2024/b.jpg
U       30 B photos/list.txt: reason of photos/list.txt
To do: 2 deletions, 2 directory deletions, 1 update, 1 rename, 2 copies, 1 time change · 11 B deleted, 2.9 KiB to send
`);
});

test('nothing to do, and names that a terminal would obey', () => {
  expect([...planText(aPlan())]).toEqual(['Nothing to do\n']);
  expect([...planText(aPlan('copy a\x1b[2Jb'))][0]).toContain('a␛[2Jb');
});
