import { expect, test } from 'vitest';
import { goJson } from '../../../../src/go/go-value.ts';
import { parseXml } from '../../../../src/webhook/payload/parse-xml.ts';

const parse = (text: string) => goJson(parseXml(Buffer.from(text, 'latin1')));

test.each([
  ['<d:e:f/>', '{"d:e:f":""}'],
  ['<n:d xmlns:n="u"><n:i n:k="v"/></n:d>', '{"d":{"-n":"u","i":{"-k":"v"}}}'],
  ['<a:b xmlns:a="u" xmlns:c="u">x</c:b>', '{"b":{"#text":"x","-a":"u","-c":"u"}}'],
  ['<d><![CDATA[<a>&]]></d>', '{"d":"\\u003ca\\u003e\\u0026"}'],
  ['<!D <!-- " > --> <x> "y>" ><d>1</d>', '{"d":"1"}'],
  ['<?xml version="1.0" encoding="UTF-8"?><d>&#13;\r\n&#65;&lt;</d>', '{"d":"A\\u003c"}'],
  ['<d>x<!-- - -->y</d>', '{"d":"y"}'],
  [`<d>${' '.repeat(100_000)}x</d>`, '{"d":"x"}'],
])('%.60s is read', (text, json) => expect(parse(text)).toBe(json));

test.each([
  ['<d>\x01</d>', 'illegal character code U+0001'],
  ['<d>&#0;</d>', 'illegal character code U+0000'],
  ['<d a="&#1;"/>', 'illegal character code U+0001'],
  ['<d>\xef\xbf\xbe</d>', 'illegal character code U+FFFE'],
  ['<d>\xff</d>', 'invalid UTF-8'],
  ['<d><![CDATA[\xff]]></d>', 'invalid UTF-8'],
  ['<\xff/>', 'invalid XML name: \udcff'],
  ['<d>]]></d>', 'unescaped ]]> not in CDATA section'],
  ['<d><!-- a -- b --></d>', 'invalid sequence "--" not allowed in comments'],
  ['<d a="<"/>', 'unescaped < inside quoted string'],
  ['<1d/>', 'invalid XML name: 1d'],
  ['<d #t="q"/>', 'expected attribute name in element'],
  ['<d a=1/>', 'unquoted or missing attribute value in element'],
  ['<d a/>', 'attribute name without = in element'],
  ['<d>a & b</d>', 'invalid character entity & (no semicolon)'],
  ['<d>&nope;</d>', 'invalid character entity &nope;'],
  ['<d><![CDAT[]]></d>', 'invalid <![ sequence'],
  ['<d><![CDATA[', 'unexpected EOF in CDATA section'],
  ['<d></e></d>', 'element <d> closed by </e>'],
  ['<a:b></c:b>', 'element <b> in space a closed by </b> in space c'],
  ['</d>', 'unexpected end element </d>'],
  ['<d>', 'unexpected EOF'],
])('%s is refused', (text, why) => {
  expect(() => parse(text)).toThrow(`xml.Decoder.Token() - XML syntax error on line 1: ${why}`);
});

test.each([
  ['<?xml version="1.1"?><d/>', 'xml: unsupported version "1.1"; only version 1.0 is supported'],
  [
    '<?xml version="1.0" encoding="latin1"?><d/>',
    'xml: encoding "latin1" declared but Decoder.CharsetReader is nil',
  ],
  ['<!-- only -->', 'EOF'],
])('%s is refused', (text, why) => expect(() => parse(text)).toThrow(why));

test('the line of a fault is that where it was noticed', () => {
  expect(() => parse('\n<d>\n\n<e\n a="\n&bad;"/></d>')).toThrow('error on line 6: ');
});
