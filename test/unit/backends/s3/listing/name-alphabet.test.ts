import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NameAlphabet } from '../../../../../src/backends/s3/listing/name-alphabet.ts';
import { compareNames } from '../../../../../src/core/name-order.ts';

function learned(...pages: readonly (readonly string[])[]): NameAlphabet {
  const alphabet = new NameAlphabet();
  for (const names of pages) alphabet.learn(names.map((key) => ({ key })));
  return alphabet;
}

const numbers = (from: number) =>
  Array.from({ length: 100 }, (_, i) => `dir/${String(from + i).padStart(6, '0')}.bin`);

describe('names of a listing', () => {
  const alphabet = learned(numbers(100), numbers(200), numbers(300));
  const scale = { first: 'dir/000100.bin', last: 'dir/000300.bin', pages: 2 };

  test('show where the next pages begin', () => {
    const point = alphabet.ahead(scale, 'dir/000399.bin', 4) ?? '';
    expect(Number(point.slice(4, 10).padEnd(6, '0'))).toBeGreaterThan(700);
    expect(Number(point.slice(4, 10).padEnd(6, '0'))).toBeLessThan(850);
  });

  test('show how many pages lie between two of them', () => {
    expect(alphabet.pagesBetween(scale, 'dir/000399.bin', 'dir/000799.bin')).toBeCloseTo(4, 0);
    expect(alphabet.pagesBetween(scale, 'dir/000399.bin', 'dir/000399.bin')).toBe(0);
    expect(alphabet.pagesBetween(scale, 'dir/000399.bin', 'dir/000100.bin')).toBe(0);
  });

  test('of one page in a directory show nothing about others', () => {
    const page = { first: 'a/b/c/d/e/f/1', last: 'a/b/c/d/e/f/2', pages: 1 };
    expect(learned([page.first, page.last]).pagesBetween(page, page.last, 'z')).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(
      learned(['same'], ['same']).ahead({ first: 'same', last: 'same', pages: 1 }, 'same', 1),
    ).toBe(undefined);
  });

  test('are followed by whole characters only', () => {
    const characters = fc.constantFrom('a', 'z', '9', '\ud7ff', '\u{1f600}', '\u{10ffff}', '/');
    const name = fc.array(characters, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    const names = fc.uniqueArray(name, { minLength: 3, maxLength: 30 });
    const run = (found: string[], distance: number) => {
      const keys = found.sort(compareNames);
      const [first = '', last = ''] = [keys[0], keys.at(-2)];
      const point = learned(keys).ahead({ first, last, pages: 1 }, keys.at(-1) ?? '', distance);
      expect(point?.isWellFormed() ?? true).toBe(true);
    };
    fc.assert(fc.property(names, fc.integer({ min: 1, max: 40 }), run), { numRuns: 500 });
  });
});
