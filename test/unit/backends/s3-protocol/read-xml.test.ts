import { expect, test } from 'vitest';
import { readXml } from '../../../../src/backends/s3-protocol/read-xml.ts';

test('a document with many comments before its root', async () => {
  const prolog = `\ufeff<?xml version="1.0"?>${'<!-- > -->\n'.repeat(60)}`;
  expect((await readXml(`${prolog}<a>x</a>`)).text).toBe('x');
});

test.each([
  '<!DOCTYPE a><a/>',
  '\ufeff <?xml version="1.0"?> <!-- c -->\n<!doctype a><a/>',
  '<?x y="a>b"?><!DOCTYPE a><a/>',
  '<?x <!-- ?><!DOCTYPE a><a>--></a>',
  '<a/><!DOCTYPE a>',
  '<a><!DOCTYPE a></a>',
  '<!ELEMENT a ANY><a/>',
  '<a b="<!--"/>',
])('a declaration is refused: %s', async (document) => {
  await expect(readXml(document)).rejects.toThrow();
});

test('what only looks like a declaration is text or a comment', async () => {
  const root = await readXml('<?x <!DOCTYPE?><!--<!DOCTYPE a>--><a><![CDATA[<!DOCTYPE a>]]></a>');
  expect(root.text).toBe('<!DOCTYPE a>');
});
