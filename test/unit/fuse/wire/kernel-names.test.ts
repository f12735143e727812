import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameFromKernel, nameToKernel } from '../../../../src/fuse/wire/request-reader.ts';

test('every name that a program gives is shown as it was given', async () => {
  const characters = ['\t', '\n', '\x7f', '␉', '␊', '␡', '／', '．', '.', 'a', ' ', 'ü', '\udc80'];
  const anyName: fc.Arbitrary<string> = fc
    .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''))
    .filter((name) => name !== '.' && name !== '..');
  await fc.assert(
    fc.asyncProperty(anyName, async (name) => {
      expect(nameToKernel(nameFromKernel(name))).toBe(name);
    }),
  );
});

test('what is a slash or a dot in the store is told from its look-alike', () => {
  expect(['a／b', 'a‛／b', '．', '‛．．'].map(nameToKernel)).toEqual([
    'a／b',
    'a‛／b',
    '．',
    '‛．．',
  ]);
  expect(['a／b', 'a‛／b', '．'].map(nameFromKernel)).toEqual(['a／b', 'a‛／b', '．']);
});
