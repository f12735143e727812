import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { nameFromBytes, nameToBytes } from '../../../src/core/name-bytes.ts';

test.each([
  ['61ff62', 'a\udcffb'],
  ['ff c3a9 e282ac f09f9880', '\udcffé€😀'],
  ['ff efbbbf', '\udcff\ufeff'],
  ['c3', '\udcc3'],
  ['c0 af', '\udcc0\udcaf'],
  ['e0 9f bf', '\udce0\udc9f\udcbf'],
  ['ed a0 80', '\udced\udca0\udc80'],
  ['ff ed9fbf ee8080', '\udcff\ud7ff\ue000'],
  ['f0 8f bf bf', '\udcf0\udc8f\udcbf\udcbf'],
  ['ff f0908080 f48fbfbf', '\udcff\u{10000}\u{10ffff}'],
  ['f4 90 80 80', '\udcf4\udc90\udc80\udc80'],
  ['f5 80 80 80', '\udcf5\udc80\udc80\udc80'],
  ['e2 82 61', '\udce2\udc82a'],
])('the bytes %s go to a text and back', (hex, text) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  expect(nameFromBytes(bytes)).toBe(text);
  expect(nameToBytes(text)).toEqual(bytes);
});

test('other surrogates without a partner become U+FFFD', () => {
  expect(String(nameToBytes('a\ud800b\udc00\udbff'))).toBe('a\ufffdb\ufffd\ufffd');
});

test('megabytes that are no text go to a text and back, without an exception for each', () => {
  const bytes = randomBytes(20_000_000);
  expect(nameToBytes(nameFromBytes(bytes)).equals(bytes)).toBe(true);
});
