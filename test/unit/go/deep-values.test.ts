import { expect, test } from 'vitest';
import { type GoValue, goJson } from '../../../src/go/go-value.ts';
import { parseGoJson } from '../../../src/go/parse-go-json.ts';
import { parseXml } from '../../../src/webhook/payload/parse-body.ts';

const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const parse = (text: string) => parseGoJson(Buffer.from(text));

/** Does it with so little of the stack left that nothing can call itself a thousand times. */
function onFullStack<T>(work: () => T): T {
  let left = 0;
  const measure = () => {
    left++;
    measure();
  };
  expect(measure).toThrow(RangeError);
  const descend = (levels: number): T => (levels > 0 ? descend(levels - 1) : work());
  return descend(Math.floor(left * 0.6));
}

test.each([
  ['lists', lists],
  ['objects', objects],
])('JSON may nest %s in 10,000 levels, however much of the stack is in use', (_, nested) => {
  const text = nested(10_000);
  expect(onFullStack(() => goJson(parse(text)))).toBe(text);
  expect(() => parse(nested(10_001))).toThrow(/^more than 10000 levels$/);
});

test('levels count, not lists and objects', () => {
  const text = `[${Array.from({ length: 20_000 }, () => '{"a":[]}').join(',')}]`;
  expect(goJson(parse(text))).toBe(text);
});

test('XML may nest as deeply as it likes', async () => {
  const levels = 100_000;
  const payload = await parseXml(Buffer.from(`${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`));
  expect(goJson(payload)).toBe(`${'{"a":'.repeat(levels)}""${'}'.repeat(levels)}`);
});

test('what is written is sorted, without blanks', () => {
  const value: GoValue = new Map<string, GoValue>([
    ['b', [null, true, { spelled: '1.0' }, new Map(), []]],
    ['é', '<'],
    ['a', new Map([['c', 'd']])],
  ]);
  expect(goJson(value)).toBe('{"a":{"c":"d"},"b":[null,true,1.0,{},[]],"é":"\\u003c"}');
  expect(goJson(false)).toBe('false');
});
