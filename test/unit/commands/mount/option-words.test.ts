import { expect, test } from 'vitest';
import { optionWords } from '../../../../commands/mount/fstab-line.ts';

test.each([
  ['a,b=c', ['a', 'b=c']],
  ['', []],
  [',,a,', ['a']],
  ['a="b,c",d', ['a=b,c', 'd']],
  ["a='it''s',b", ["a=it's", 'b']],
  [`a="say ""hi"""`, ['a=say "hi"']],
])('%s', (text, words) => {
  expect(optionWords(text)).toEqual(words);
});
