import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAllowed, parseAllowed } from '../../../../commands/ps/run-worker.ts';

const allowed = (pattern: string, source: string, dest: string) =>
  isAllowed([parseAllowed(pattern)], { source, dest });

describe('--allow', () => {
  test.each([
    ['lake: -> copy:backup', 'lake:data', 'copy:backup', true],
    ['lake: -> copy:backup', 'lake:', 'copy:backup/a/b/', true],
    ['lake: -> copy:backup', 'lake:data', 'copy:backup2', false],
    ['lake: -> copy:backup', 'lake:data', 'copy:', false],
    ['lake: -> copy:backup', 'lake2:data', 'copy:backup', false],
    ['lake: -> copy:backup', 'copy:backup', 'lake:', false],
    ['lake: -> copy:backup', 'lake:a', 'copy:backup/../other', false],
    ['lake: -> copy:backup', 'lake:a', 'copy:backup/./a', false],
    ['lake: -> copy:backup', 'lake:a', 'copy:backup//a', false],
    ['lake: -> copy:backup', 'lake:a', 'copy,endpoint=evil:backup', false],
    ['lake: -> copy:backup', ':s3,endpoint=evil:a', 'copy:backup', false],
    ['lake: -> copy:backup', '/etc', 'copy:backup', false],
    ['lake: -> copy:backup', './lake:a', 'copy:backup', false],
    ['lake:a/ -> copy:/b/', 'lake:/a', 'copy:b/c', true],
    ['lake:* -> copy:b', 'lake:x', 'copy:b', false],
  ])('%s and %s to %s: %s', (pattern, source, dest, wanted) => {
    expect(allowed(pattern, source, dest)).toBe(wanted);
  });

  test.each([
    ['lake:', 'is no pair of places'],
    ['a:->a:', "write 'source: -> dest:path', with a space before and after the arrow"],
    ['lake: -> a: -> b:', 'is no pair of places'],
    ['lake -> copy:', 'local path'],
    ['lake: -> /backup', 'local path'],
    ['lake: -> copy:a/../b', 'must not contain'],
    ['lake: -> copy,key=secret:a', 'may be secrets'],
  ])('%s is refused', (pattern, why) => {
    expect(() => parseAllowed(pattern)).toThrow(why);
    expect(() => parseAllowed(pattern)).not.toThrow('key=secret');
  });

  test('exactly what begins with the names of the pattern is allowed', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'a b', 'ä'), { maxLength: 4 });
    fc.assert(
      fc.property(names, names, fc.boolean(), (above, path, sameRemote) => {
        const pattern = `s: -> d:${above.join('/')}`;
        const dest = `${sameRemote ? 'd' : 'dd'}:${path.join('/')}`;
        const isPrefix = above.every((name, i) => path[i] === name);
        expect(allowed(pattern, 's:x', dest)).toBe(sameRemote && isPrefix);
      }),
    );
  });

  test('no pair allows nothing', () => {
    expect(isAllowed([], { source: 'a:', dest: 'b:' })).toBe(false);
  });
});
