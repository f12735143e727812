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

test.each([
  '<?xml version="1.0"?>\n<r xmlns="http://a/"><ETag>&quot;e&quot;</ETag><Time>1 &amp; 2</Time></r>\n',
  '\ufeff<r>\n  <a>&#65;&nope;</a>\n  <b></b>\n</r>',
])('a flat document reads as the parser reads it: %s', async (document) => {
  const flat = await readXml(document);
  const parsed = await readXml(document.replace('</r>', '<!-- not flat --></r>'));
  expect([flat.name, flat.children]).toEqual([parsed.name, parsed.children]);
});

test.each(['<r><a>x</b></r>', '<r><a>x</a></q>', '<r><a>x</a>'])(
  'a document that only begins flat is refused: %s',
  async (document) => {
    await expect(readXml(document)).rejects.toThrow();
  },
);
