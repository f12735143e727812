import { expect, test } from 'vitest';
import {
  type ConflictNaming,
  conflictName,
} from '../../../../../commands/bisync/two-way/decide-two-way.ts';

const suffix = { a: 'conflict', b: 'conflict' };
const nameOf = (naming: Partial<ConflictNaming>, side: 'a' | 'b' = 'b', taken: string[] = []) =>
  conflictName(
    'd/f.tar.gz',
    [side, Date.UTC(2026, 10, 21, 11, 30, 12)],
    { loser: 'date', suffix, keepExtension: false, ...naming },
    async (path) => taken.includes(path),
  );

test('names say when and where the file was changed', async () => {
  const name = 'd/f.tar.gz.conflict-20261121-113012-path2';
  expect(await nameOf({})).toBe(name);
  expect(await nameOf({}, 'a')).toBe('d/f.tar.gz.conflict-20261121-113012-path1');
  expect(await nameOf({}, 'b', [name, `${name}-2`])).toBe(`${name}-3`);
  expect(await nameOf({ keepExtension: true })).toBe('d/f.conflict-20261121-113012-path2.tar.gz');
});

test('names of rclone never replace a file', async () => {
  expect(await nameOf({ loser: 'num' })).toBe('d/f.tar.gz.conflict1');
  expect(await nameOf({ loser: 'num' }, 'b', ['d/f.tar.gz.conflict1'])).toBe(
    'd/f.tar.gz.conflict2',
  );
  expect(await nameOf({ loser: 'pathname' })).toBe('d/f.tar.gz.conflict2');
  expect(await nameOf({ loser: 'pathname' }, 'b', ['d/f.tar.gz.conflict2'])).toBe(
    'd/f.tar.gz.conflict2-2',
  );
  expect(await nameOf({ loser: 'num', suffix: { a: 'x', b: 'y' } })).toBe('d/f.tar.gz.y1');
});
