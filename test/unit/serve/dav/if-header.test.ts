import { expect, test } from 'vitest';
import { readIf } from '../../../../src/serve/dav/dav-call.ts';

test.each([
  ['(<urn:x>)', [{ tag: undefined, conditions: [{ isNot: false, token: 'urn:x' }] }]],
  [
    '(<urn:x> ["a (b"]) (Not <DAV:no-lock>)',
    [
      {
        tag: undefined,
        conditions: [
          { isNot: false, token: 'urn:x' },
          { isNot: false, etag: '"a (b"' },
        ],
      },
      { tag: undefined, conditions: [{ isNot: true, token: 'DAV:no-lock' }] },
    ],
  ],
  [
    '<http://h/a>(<t>)([W/"e"])<http://h/b>(not[ "x"])'.replace('[ ', '['),
    [
      { tag: 'http://h/a', conditions: [{ isNot: false, token: 't' }] },
      { tag: 'http://h/a', conditions: [{ isNot: false, etag: 'W/"e"' }] },
      { tag: 'http://h/b', conditions: [{ isNot: true, etag: '"x"' }] },
    ],
  ],
])('%s', (text, lists) => {
  expect(readIf(text)).toEqual(lists);
});

test.each(['', '()', '(', '<a>', '(a)', '(<a>) b', '(Not)', '((<a>))', `(${'<'.repeat(50_000)}`])(
  'an invalid header is refused',
  (text) => {
    expect(() => readIf(text)).toThrow(expect.objectContaining({ status: 400 }));
  },
);
