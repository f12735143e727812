import fc from 'fast-check';
import { expect, test } from 'vitest';
import { childrenNamed, childText } from '../../../../../src/backends/s3-protocol/read-xml.ts';
import { documentText, readRequestXml } from '../../../../../src/serve/s3/body/payload.ts';
import { element, escapeXml, S3Error } from '../../../../../src/serve/s3/wire/s3-error.ts';

test('a request to delete keys', async () => {
  const root = await readRequestXml(
    '<?xml version="1.0"?>\n<!-- c --><Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
      '<Quiet>true</Quiet>\n<ns:Object a="1"><Key> a&#1;&amp;b&#x1F600;\n</Key></ns:Object>' +
      '<Object><Key><![CDATA[<&>]]>x</Key><VersionId/></Object></Delete>\n',
  );
  expect(root.name).toBe('Delete');
  expect(childText(root, 'Quiet')).toBe('true');
  const objects = childrenNamed(root, 'Object');
  expect(objects.map((each) => childText(each, 'Key'))).toEqual([' a\x01&b😀\n', '<&>x']);
  expect(objects.map((each) => childText(each, 'VersionId'))).toEqual([undefined, '']);
});

test('any text survives being escaped and read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      fc.pre(text.isWellFormed());
      expect((await readRequestXml(element('a', text))).text).toBe(text);
    }),
  );
});

test('control characters go out as references', () => {
  expect(escapeXml('a<b>&"\'\x01\n\x7f ü')).toBe('a&#60;b&#62;&#38;&#34;&#39;&#1;&#10;&#127; ü');
});

test.each([
  '',
  'text',
  '<a>',
  '<a></b>',
  '<a></a><b></b>',
  '<a></a>text',
  '</a>',
  '<a>&unknown;</a>',
  '<a>&amp</a>',
  '<a>&#1114112;</a>',
  '<a><!-- </a>',
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  '<1a></1a>',
  '<a>'.repeat(100),
  '<a>&constructor;</a>',
  '<a>&toString;</a>',
  '<a>&__proto__;</a>',
  '<a>&#xDC80;</a>',
  '<a>&#55357;&#56832;</a>',
])('not well-formed: %s', async (text) => {
  await expect(readRequestXml(text)).rejects.toThrow(S3Error);
});

test('bytes that are not UTF-8 are refused', () => {
  expect(documentText(Buffer.from('\ufeff<a>ü</a>'))).toBe('<a>ü</a>');
  expect(() => documentText(Buffer.from('<a>\xff</a>', 'latin1'))).toThrow(S3Error);
});
