import { expect, test } from 'vitest';
import { DeadProperties } from '../../../../src/serve/dav/dead-properties.ts';
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

test('properties follow their file, and their room is limited', async () => {
  const properties = new DeadProperties();
  const property = await parseXml('<p xmlns="urn:x">v</p>');
  properties.set('a/b', property);
  properties.copy('a', 'c', true);
  properties.copy('a', 'd', false);
  properties.remove('a');
  expect(['a/b', 'c/b', 'd/b'].map((path) => properties.of(path).length)).toEqual([0, 1, 0]);
  properties.delete('c/b', property);
  expect(properties.of('c/b')).toEqual([]);
  const large = { ...property, children: ['x'.repeat(1024 * 1024)] };
  for (let i = 0; i < 15; i++) properties.set(`p${i}`, large);
  for (let i = 0; i < 5; i++) properties.set('p0', large);
  const fill = () => {
    for (const path of ['y', 'z']) properties.set(path, large);
  };
  expect(fill).toThrow(expect.objectContaining({ status: 507 }));
  properties.remove('');
  fill();
});
