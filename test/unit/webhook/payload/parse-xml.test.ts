import { expect, test } from 'vitest';
import { goJson } from '../../../../src/go/go-value.ts';
import { parseXml } from '../../../../src/webhook/payload/parse-body.ts';

const parse = async (text: string) => goJson(await parseXml(Buffer.from(text, 'latin1')));

test.each([
  ['<d:e:f/>', '{"d:e:f":""}'],
  ['<n:d xmlns:n="u"><n:i n:k="v"/></n:d>', '{"d":{"-n":"u","i":{"-k":"v"}}}'],
  ['<d><![CDATA[<a>&]]></d>', '{"d":"\\u003ca\\u003e\\u0026"}'],
  ['<!DOCTYPE d [<!ENTITY a "b"><!-- > -->]><d>1</d>', '{"d":"1"}'],
  ['<?xml version="1.0" encoding="UTF-8"?><d>&#13;\r\n&#65;&lt;</d>', '{"d":"A\\u003c"}'],
  ['<d>x<!-- - -->y</d>', '{"d":"y"}'],
  ['<d>x<e>1</e><e/><e a="2"/></d>', '{"d":{"#text":"x","e":["1","",{"-a":"2"}]}}'],
  ['<d __proto__="1"><constructor/></d>', '{"d":{"-__proto__":"1","constructor":""}}'],
  ['<d/><e></d> & what follows the root', '{"d":""}'],
  ['<d>x</d >]]></e><', '{"d":"x"}'],
  [`<d>${' '.repeat(100_000)}x</d>`, '{"d":"x"}'],
  [`<d>${'y'.repeat(3 << 20)}<e/></d>`, `{"d":{"#text":"${'y'.repeat(3 << 20)}","e":""}}`],
])('%.60s is read', async (text, json) => expect(await parse(text)).toBe(json));

test.each([
  ['<d>\x01</d>', 'disallowed character'],
  ['<d>&#0;</d>', 'malformed character entity'],
  ['<d>\xff</d>', 'disallowed character'],
  ['<d><![CDATA[\xff]]></d>', 'disallowed character'],
  ['<d a="<"/>', 'disallowed character'],
  ['<d a=1/>', 'unquoted attribute value'],
  ['<d>a & b</d>', 'unclosed tag: d'],
  ['<d>a & b;</d>', 'disallowed character in entity name'],
  ['<d>&nope;</d>', 'undefined entity'],
  ['<!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>', 'undefined entity'],
  ['<d><![CDATA[', 'unclosed tag: d'],
  ['<d></e></d>', 'unexpected close tag'],
  ['<d>', 'unclosed tag: d'],
  ['<!-- only -->', 'document must contain a root element'],
  ['<?xml version="1.0" encoding="latin1"?><d/>', 'the encoding is not UTF-8: latin1'],
])('%s is refused', async (text, why) => {
  await expect(parse(text)).rejects.toThrow(why);
});

test('a refusal names line and column', async () => {
  await expect(parse('\n<d>\n\n<e\n a="\n&bad;"/></d>')).rejects.toThrow(/^6:\d+: undefined/);
});
