import { expect, test } from 'vitest';
import { QuickXor } from './quick-xor.ts';

function quickXorHash(pieces: readonly Buffer[]): string {
  const hash = new QuickXor();
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

test.each([
  ['nothing', [], 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='],
  ['hello world', [Buffer.from('hello world')], 'aCgDG9jwBhDc4Q1yawMZAAAAAAA='],
  [
    'a thousand bytes',
    [Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256))],
    'eMTc7ksneLHFfWI8T9W9y23sExM=',
  ],
])('the hash of %s is the published one', (_, pieces, hash) => {
  expect(quickXorHash(pieces)).toBe(hash);
});

test('pieces make no difference', () => {
  const whole = Buffer.from('some words that are longer than one round '.repeat(20));
  const pieces = [whole.subarray(0, 1), whole.subarray(1, 400), whole.subarray(400)];
  expect(quickXorHash(pieces)).toBe(quickXorHash([whole]));
});
