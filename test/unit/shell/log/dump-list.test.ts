import { expect, test } from 'vitest';
import { dumpList, dumpsHttp } from '../../../../src/shell/log/dump-list.ts';

const listed = (dump: string | undefined, headers = false, bodies = false) => [
  ...dumpList({ dump, 'dump-headers': headers, 'dump-bodies': bodies }),
];

test('names with commas, in any case', () => {
  expect(listed('filters')).toEqual(['filters']);
  expect(listed(' Headers , BODIES,')).toEqual(['headers', 'bodies']);
  expect(listed('')).toEqual([]);
  expect(listed(undefined)).toEqual([]);
  expect(listed('auth', true, true)).toEqual(['headers', 'bodies', 'auth']);
});

test("an unknown one is refused in rclone's words", () => {
  expect(() => listed('headers,foo')).toThrow(
    'invalid argument "headers,foo" for "--dump" flag: unknown dump flag "foo"',
  );
});

test('what shows the network', () => {
  expect(dumpsHttp(new Set(['filters', 'goroutines', 'openfiles']))).toBe(false);
  expect(dumpsHttp(new Set(['auth']))).toBe(true);
});
