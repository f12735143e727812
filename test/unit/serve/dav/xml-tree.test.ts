import { expect, test } from 'vitest';
import { parseXml, textIn, xmlOf } from '../../../../src/serve/dav/xml-tree.ts';

test('a document and what is written of it mean the same', async () => {
  const text =
    '<?xml version="1.0"?><a xmlns="urn:1" xmlns:b="urn:2" b:c="&lt;1&gt;" d="&quot;"><b:e>x<![CDATA[<&]]></b:e><f xmlns=""/>\u{1f600}</a>';
  const tree = await parseXml(text);
  expect(tree).toMatchObject({ space: 'urn:1', name: 'a' });
  expect(textIn(tree)).toBe('x<&\u{1f600}');
  expect(await parseXml(xmlOf(tree))).toEqual({ ...tree, children: expect.anything() });
  expect(textIn(await parseXml(xmlOf(tree)))).toBe(textIn(tree));
});

test.each([
  ['no XML', 'x'],
  ['an open element', '<a>'],
  ['an unknown prefix', '<a:b/>'],
  ['a prefix for nothing', '<a xmlns:b=""/>'],
  ['a type', '<!DOCTYPE a [<!ENTITY b "cc">]><a>&b;</a>'],
  ['an unknown entity', '<a>&b;</a>'],
  ['two roots', '<a/><b/>'],
  ['too deep', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`],
])('%s is refused', async (_, text) => {
  await expect(parseXml(text)).rejects.toMatchObject({ status: 400 });
});
