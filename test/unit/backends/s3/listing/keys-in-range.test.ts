import { expect, test } from 'vitest';
import { displaced, keysInRange } from '../../../../../src/backends/s3/listing/list-entries.ts';

const page = (...names: string[]) => ({
  keys: names.map((key) => ({ key, size: 1, etag: '', modifiedMs: 0, storageClass: '' })),
  prefixes: [],
  next: { token: 't' },
});
const keysOf = ({ page }: ReturnType<typeof keysInRange>) => page.keys.map(({ key }) => key);

test('keys beyond the end are left out, and end the listing', () => {
  const cut = keysInRange(page('p/a', 'p/b', 'p/c'), 'p/', { last: 'b' }, true);
  expect(keysOf(cut)).toEqual(['p/a', 'p/b']);
  expect(cut.reachesEnd).toBe(true);
  const whole = keysInRange(page('p/a', 'p/b'), 'p/', { last: 'b' }, true);
  expect(keysOf(whole)).toEqual(['p/a', 'p/b']);
  expect(whole.reachesEnd).toBe(false);
});

test('a server that ignores where a listing starts is an error', () => {
  const list = (isFirst: boolean) => () =>
    keysInRange(page('p/a', 'p/n'), 'p/', { after: 'm' }, isFirst);
  expect(list(true)).toThrow('the server lists p/a after "p/m"');
  expect(list(false)).not.toThrow();
});

test('files with another name on the server are told by path', () => {
  const items = [
    { place: 'a', storePlace: 'a' },
    { place: '␁b', storePlace: '\u0001b' },
  ];
  const failed = displaced(items, (place) => `dir/${place}`);
  expect(failed).toMatchObject([{ path: 'dir/␁b', error: { code: 'name-invalid' } }]);
});
