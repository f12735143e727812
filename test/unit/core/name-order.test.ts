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

/** The bytes of a name, those that are not UTF-8 quoted as in S3. */
function quotedBytes(name: string): Buffer {
  return Buffer.from(
    name.replace(/[\udc80-\udcff]/gu, (byte) => `‛${byte.charCodeAt(0).toString(16).slice(2)}`),
  );
}

describe('compareNames', () => {
  it('is the order of the bytes, those that are not UTF-8 as they are quoted in S3', () => {
    const name = anyName.map((any) => nameFromBytes(nameToBytes(any)));
    fc.assert(
      fc.property(name, name, (a, b) => {
        fc.pre(!/\u201b/.test(a + b));
        expect(sign(compareNames(a, b))).toBe(Buffer.compare(quotedBytes(a), quotedBytes(b)));
      }),
      { numRuns: 2000 },
    );
    expect(['‛', '‚', '…', '\udcff', '\udc80', 'é'].sort(compareNames)).toEqual([
      'é',
      '‚',
      '\udc80',
      '\udcff',
      '‛',
      '…',
    ]);
  });

  it('is an order, of texts that are no names too', () => {
    const unit = fc.constantFrom(
      'a',
      'é',
      '‛',
      '\ud800',
      '\udbff',
      '\udc80',
      '\udcff',
      '\udfff',
      '\uffff',
    );
    const text = fc.string({ unit, maxLength: 4 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(sign(compareNames(a, b))).toBe(-sign(compareNames(b, a)) || 0);
        expect(compareNames(a, b) === 0).toBe(a === b);
        if (compareNames(a, b) < 0 && compareNames(b, c) < 0) {
          expect(compareNames(a, c)).toBeLessThan(0);
        }
      }),
      { numRuns: 5000 },
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
