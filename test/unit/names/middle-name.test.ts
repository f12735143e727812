import { expect, test } from 'vitest';
import { compareNames } from '../../../src/core/name-order.ts';
import { middleName } from '../../../src/names/middle-name.ts';
import { randomFrom } from '../../support/random-from.ts';

const LETTERS = [
  '0',
  '1',
  '9',
  'A',
  'Z',
  'a',
  'm',
  'z',
  '/',
  ' ',
  '~',
  'é',
  '漢',
  '\u{1f600}',
  'ﬀ',
];

test('lies between two names in the order of bytes, and is a whole text', () => {
  const random = randomFrom(1);
  const name = () =>
    Array.from({ length: random(6) }, () => LETTERS[random(LETTERS.length)]).join('');
  for (let i = 0; i < 20_000; i++) {
    const [low = '', high = ''] = [name(), name()].sort(compareNames);
    const seen = i % 2 === 0 ? undefined : name() + low.slice(0, 2);
    const middle = middleName(low, high === low ? undefined : high, { seen });
    if (middle === undefined) continue;
    const isBetween =
      compareNames(low, middle) < 0 && (high === low || compareNames(middle, high) < 0);
    if (!isBetween || !middle.isWellFormed()) expect.fail(JSON.stringify([low, high, middle]));
  }
});

test.each([
  ['numbers', (i: number) => `img_${String(i).padStart(8, '0')}.jpg`],
  ['hexadecimal names', (i: number) => ((i * 2654435761) >>> 0).toString(16).padStart(8, '0')],
  ['dates', (i: number) => `logs/2026/${String(1 + (i % 12)).padStart(2, '0')}/${i}.gz`],
  ['names in Chinese', (i: number) => `文/${String.fromCodePoint(0x4e00 + (i % 20_000))}${i}`],
])('%s are divided in few steps', (_, nameOf) => {
  const names = Array.from({ length: 20_000 }, (_, i) => nameOf(i)).sort(compareNames);
  const [seen = '', low = ''] = [names[0], names[1000]];
  let high: string | undefined;
  let steps = 0;
  for (;;) {
    const middle: string | undefined = middleName(low, high, { seen });
    if (middle === undefined) throw new Error('cannot be divided');
    steps++;
    const behind = names.filter(
      (name) =>
        compareNames(name, middle) > 0 && (high === undefined || compareNames(name, high) <= 0),
    );
    if (behind.length >= 1000) break;
    high = middle;
  }
  expect(steps).toBeLessThan(25);
});

test('a name that is too long divides nothing', () => {
  expect(middleName('x'.repeat(400), `${'x'.repeat(400)}y`)).toBeUndefined();
});
