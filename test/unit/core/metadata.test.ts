import { expect, test } from 'vitest';
import { copiedMetadata, modTimeIn } from '../../../src/core/entry-details.ts';

test('what is set comes before what the source has, and a map has the last say', async () => {
  const metadata = { colour: 'red', shape: 'round' };
  const source = { kind: 'file', path: 'a', metadata } as const;
  const keep = { set: { colour: 'blue', size: 'big' } };
  const all = { colour: 'blue', shape: 'round', size: 'big' };
  expect(await copiedMetadata(source, keep)).toEqual(all);
  expect(await copiedMetadata(source, keep, {})).toEqual({ colour: 'blue', size: 'big' });
  const map = async ({ path }: { path: string }, given: object) => ({
    [path]: JSON.stringify(given),
  });
  expect(await copiedMetadata(source, { ...keep, map })).toEqual({ a: JSON.stringify(all) });
  expect(await copiedMetadata({ kind: 'dir', path: '' }, { set: {} })).toEqual({});
});

test('the time in metadata is that of mtime, where it can be read', () => {
  expect(modTimeIn({ mtime: '1970-01-01T00:00:01Z' })).toBe(1_000_000_000n);
  expect(modTimeIn({ mtime: 'yesterday' })).toBeUndefined();
  expect(modTimeIn({ atime: '1970-01-01T00:00:01Z' })).toBeUndefined();
});
