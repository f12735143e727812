import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameFromBytes, nameToBytes } from '../../../src/core/name-bytes.ts';
import { compareEntries, compareNames, NamesInTurn } from '../../../src/core/name-order.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uint8Array().map((bytes) => nameFromBytes(bytes)),
  fc.string({ unit: fc.constantFrom('a', 'é', 'ﬀ', '😀', '\udcff', '\ud7ff', '\ue000', '/') }),
);

const sign = Math.sign;

describe('compareNames', () => {
  it('is the order of the bytes, for any names', () => {
    fc.assert(
      fc.property(anyName, anyName, (a, b) => {
        expect(sign(compareNames(a, b))).toBe(Buffer.compare(nameToBytes(a), nameToBytes(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('puts U+FF00 before U+1F600, unlike JavaScript', () => {
    expect(compareNames('\uff00', '😀')).toBeLessThan(0);
    expect('\uff00' < '😀').toBe(false);
  });

  it('puts a prefix first and equal names at 0', () => {
    expect(compareNames('a', 'ab')).toBeLessThan(0);
    expect(compareNames('ab', 'a')).toBeGreaterThan(0);
    expect(compareNames('é', 'é')).toBe(0);
  });
});

describe('NamesInTurn', () => {
  it('compares each name as compareNames with the one before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyName, fc.constantFrom('a', 'b', '\uff00', '😀'))),
        (names) => {
          const order = new NamesInTurn();
          const signs = names.map((name) => sign(order.next(name)));
          const before = (index: number) => names[index - 1] ?? '';
          expect(signs).toEqual(
            names.map((name, index) => (index === 0 ? 1 : sign(compareNames(name, before(index))))),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('begins after a name', () => {
    expect(sign(new NamesInTurn('b').next('a'))).toBe(-1);
    expect(sign(new NamesInTurn('b').next('b'))).toBe(0);
  });
});

describe('compareEntries', () => {
  it('takes a directory as if its name ended in a slash', () => {
    const file = (path: string) => ({ kind: 'file', path }) as const;
    const dir = (path: string) => ({ kind: 'dir', path }) as const;
    const sorted = [file('a'), file('a-b'), file('a.txt'), dir('a'), file('a0'), dir('b')];
    expect([...sorted].reverse().sort(compareEntries)).toEqual(sorted);
  });
});
