import { expect, test } from 'vitest';
import { parseSettings } from '../../../../commands/ps/running.ts';

test('reads what is to be changed', () => {
  expect(parseSettings(['transfers=8'])).toEqual({ transfers: 8 });
  expect(parseSettings(['bwlimit=10M', 'transfers=2'])).toEqual({
    transfers: 2,
    bwlimit: 10 * 1024 * 1024,
  });
  expect(parseSettings(['bwlimit=off'])).toEqual({ bwlimit: 'off' });
});

test.each([
  'transfers=0',
  'transfers=x',
  'bwlimit=',
  'bwlimit=1M:2M',
  'bwlimit=08:00,1M',
  'x=1',
  'x',
])('refuses %s', (word) => {
  expect(() => parseSettings([word])).toThrow(`cannot set "${word}": `);
});
