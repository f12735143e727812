import { expect, test } from 'vitest';
import { goJsonString } from '../../../src/go/go-json.ts';

const ESCAPES: readonly (readonly [char: string, escaped: string])[] = [
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\u0008'],
  ['\f', '\\u000c'],
  ['\x1b', '\\u001b'],
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['\udcff', '\\ufffd'],
  ['\x7f', '\x7f'],
  ['é', 'é'],
  ['日', '日'],
  ['\u2030', '\u2030'],
  ['\ufffd', '\ufffd'],
  ['😀', '😀'],
];

test.each(ESCAPES)('%j, alone and in a text of many pieces', (char, escaped) => {
  expect(goJsonString(char)).toBe(`"${escaped}"`);
  for (const length of [63, 64, 4094, 4095, 4096, 8191, 20_000]) {
    const [before, after] = ['x'.repeat(length), 'y'.repeat(5000)];
    expect(goJsonString(before + char + after)).toBe(`"${before}${escaped}${after}"`);
  }
  expect(goJsonString(char.repeat(10_000))).toBe(`"${escaped.repeat(10_000)}"`);
});

test('a long text of nothing but escapes needs little more memory than its result', () => {
  const before = process.resourceUsage().maxRSS;
  expect(goJsonString('\n'.repeat(10_000_000)).length).toBe(20_000_002);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(300 << 10);
});
