import { expect, test } from 'vitest';
import { decodeEntities } from '../../../../src/backends/s3-protocol/read-xml.ts';

test('entities and references', () => {
  expect(decodeEntities('&lt;&gt;&amp;&quot;&apos;&#1;&#x1F600;')).toBe('<>&"\'\x01😀');
});

test.each(['&constructor;', '&toString;', '&__proto__;', '&#xDC80;', '&#xD800;', '&#1114112;'])(
  '%s stands for nothing',
  (text) => {
    expect(decodeEntities(text)).toBe(text);
    expect(decodeEntities(text, () => '?')).toBe('?');
  },
);
