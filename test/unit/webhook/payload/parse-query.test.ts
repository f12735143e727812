import { expect, test, vi } from 'vitest';
import { parseQuery, unescapePercent } from '../../../../src/webhook/payload/parse-body.ts';

test.each([
  ['a+b%2Bc%2bd', 'a b+c+d'],
  ['+a+\udcff+', ' a \udcff '],
  ['++', '  '],
  ['%C3%a9%ff', 'é\udcff'],
  ['é%25', 'é%'],
])('undoes percent codes: %s', (text, decoded) => {
  expect(unescapePercent(text, true)).toBe(decoded);
});

test.each([
  ['%41%zz%', '%zz'],
  ['%4', '%4'],
  ['a%', '%'],
  ['%+a1', '%+a'],
  ['%%41', '%%4'],
])('names the first bad code: %s', (text, bad) => {
  expect(() => unescapePercent(text, true)).toThrow(`invalid URL escape "${bad}"`);
  expect(parseQuery(`b=1&a=${text}&%zy=1&c=2`)).toEqual({
    values: new Map([
      ['b', '1'],
      ['c', '2'],
    ]),
    fault: `invalid URL escape "${bad}"`,
  });
});

test('a bad name is named before a bad value', () => {
  expect(parseQuery('%zn=%zv').fault).toBe('invalid URL escape "%zn"');
});

test('codes are undone without a search for each', () => {
  const search = vi.spyOn(RegExp.prototype, 'exec');
  const test = vi.spyOn(RegExp.prototype, 'test');
  const decoded = unescapePercent('%41'.repeat(1000), true);
  const { values } = parseQuery('%zz&'.repeat(1000));
  const searches = search.mock.calls.length + test.mock.calls.length;
  vi.restoreAllMocks();
  expect(decoded).toBe('A'.repeat(1000));
  expect(values.size).toBe(0);
  expect(searches).toBeLessThan(10);
});
