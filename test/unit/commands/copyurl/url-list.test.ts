import { expect, test } from 'vitest';
import { readUrlList } from '../../../../commands/copyurl/copyurl.ts';

test('a URL in each line, and the path of its file', () => {
  expect(readUrlList('http://h/a,d//x.txt\r\nhttp://h/b\n\nhttp://h/c,"p,q"\nhttp://h/d,')).toEqual(
    [
      { url: 'http://h/a', name: 'd/x.txt' },
      { url: 'http://h/b', name: undefined },
      { url: 'http://h/c', name: 'p,q' },
      { url: 'http://h/d', name: undefined },
    ],
  );
});

test.each([
  ['http://h/a,../x', 'line 1 of the list of URLs: "../x" leads out of the destination'],
  ['http://h/a,x\nhttp://h/b,./x', 'line 2 of the list of URLs: "x" is the name of line 1 too'],
  ['http://h/a\nhttp://h/b,k"x', 'line 2 of the list of URLs: bare " in non-quoted-field'],
])('%j is refused', (text, why) => {
  expect(() => readUrlList(text)).toThrow(why);
});
