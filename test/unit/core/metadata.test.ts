import { expect, test } from 'vitest';
import { copiedMetadata, modTimeIn } from '../../../src/core/entry-details.ts';

test('what is set comes before what the source has', () => {
  const source = { colour: 'red', shape: 'round' };
  const keep = { set: { colour: 'blue', size: 'big' } };
  expect(copiedMetadata(source, keep)).toEqual({ colour: 'blue', shape: 'round', size: 'big' });
  expect(copiedMetadata(undefined, { set: {} })).toEqual({});
});

test('the time in metadata is that of mtime, where it can be read', () => {
  expect(modTimeIn({ mtime: '1970-01-01T00:00:01Z' })).toBe(1_000_000_000n);
  expect(modTimeIn({ mtime: 'yesterday' })).toBeUndefined();
  expect(modTimeIn({ atime: '1970-01-01T00:00:01Z' })).toBeUndefined();
});
