import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirstMatch } from '../../../src/go/first-match.ts';

const matcher = (...expressions: string[]) => new FirstMatch(expressions);

/** Expressions that mean the same in Go and, with the `v` flag, in JavaScript. */
const expression = fc
  .letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        'a',
        'b',
        '/',
        '.',
        '[ab]',
        '[^\\/]',
        '\\d',
        '\\w',
        '\\b',
        '\\B',
        '^',
        '$',
        'é',
        '😀',
      ),
      fc.array(tie('expression'), { maxLength: 4 }).map((parts) => parts.join('')),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?'))
        .map(([inner, times]) => `(?:${inner})${times}`),
    ),
  }))
  .expression.filter((text) => text.length < 60);

const text = fc
  .array(fc.constantFrom('a', 'b', '/', '1', '_', '-', 'é', '😀', '\n'), { maxLength: 8 })
  .map((characters) => characters.join(''));

describe('FirstMatch', () => {
  test('finds the first of its expressions', () => {
    const rules = matcher('^a', 'b$', 'a', '');
    expect(['ab', 'cb', 'ca', 'c', ''].map((each) => rules.find(each))).toEqual([0, 1, 2, 3, 3]);
  });

  test('finds nothing where none matches, or where there are none', () => {
    expect(matcher('x', 'y$').find('yx-')).toBe(0);
    expect(matcher('x', 'y$').find('y-')).toBe(-1);
    expect(matcher().find('a')).toBe(-1);
  });

  test('agrees with the expressions of JavaScript', () => {
    fc.assert(
      fc.property(
        fc.array(expression, { minLength: 1, maxLength: 4 }),
        fc.array(text, { minLength: 1, maxLength: 6 }),
        (expressions, texts) => {
          const rules = matcher(...expressions);
          const native = expressions.map((each) => new RegExp(each, 'v'));
          // V8 finds \B between the two halves of a code point; Go has no place there.
          const halves = expressions.some((each) => each.includes('\\B'));
          for (const each of texts) {
            if (halves && /[\u{10000}-\u{10ffff}]/u.test(each)) continue;
            expect(rules.find(each)).toBe(native.findIndex((rule) => rule.test(each)));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('agrees with them where case does not matter', () => {
    const letters = fc.constantFrom(
      'k',
      'K',
      '\u212a',
      's',
      'ſ',
      'ß',
      'ẞ',
      'σ',
      'ς',
      'ǆ',
      'ǅ',
      'i',
      'ı',
      'İ',
    );
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const native = new RegExp(`^[^${a}x]${a}$`, 'iv');
        for (const each of [`${b}${a}`, `${a}${b}`, `${b}${b}`]) {
          expect(matcher(`(?i)^[^${a}x]${a}$`).find(each) === 0).toBe(native.test(each));
        }
      }),
    );
  });

  test('thousands of expressions', () => {
    const rules = matcher(...Array.from({ length: 3000 }, (_, i) => `(^|/)name-${i}\\.txt$`));
    for (const i of [0, 1, 499, 500, 1234, 2999]) {
      expect(rules.find(`dir/name-${i}.txt`)).toBe(i);
      expect(rules.find(`name-${i}.txt/x`)).toBe(-1);
    }
  });

  test('expressions that together make too many states', () => {
    const expressions = Array.from({ length: 40 }, (_, i) => `${i % 7}.*${(i * 3) % 10}.*${i}$`);
    const rules = matcher(...expressions);
    const native = expressions.map((each) => new RegExp(each));
    let digits = 1;
    for (let round = 0; round < 3000; round++) {
      digits = (digits * 48271) % 2147483647;
      const each = `${digits}${digits % 9973}`;
      expect(rules.find(each)).toBe(native.findIndex((rule) => rule.test(each)));
    }
  });

  test.each([
    ['(a|a)*', 'b'],
    ['(a*)*', 'b'],
    ['(.*a){12}', 'b'],
    ['([^/]*a[^/]*){15}', 'b'],
    ['(a?){100}a{100}', 'b'],
  ])('an expression that makes others search for ever: %s', (inner, end) => {
    const rules = matcher(`^(?:${inner})c$`);
    expect(rules.find('a'.repeat(5000) + end)).toBe(-1);
    expect(rules.find(`${'a'.repeat(5000)}c`)).toBe(inner === '(a?){100}a{100}' ? -1 : 0);
  });
});
