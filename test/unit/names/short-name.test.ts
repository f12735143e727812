import { expect, test } from 'vitest';
import { shortName } from '../../../src/names/partial-name.ts';

test.each([
  ['short', 'short'],
  ['a'.repeat(100), 'a'.repeat(100)],
  ['a'.repeat(101), 'a'.repeat(100)],
  ['ä'.repeat(60), 'ä'.repeat(50)],
  [`a${'😀'.repeat(30)}`, `a${'😀'.repeat(24)}`],
])('a name has no more than 100 bytes and no half characters', (name, short) => {
  expect(shortName(name)).toBe(short);
});
