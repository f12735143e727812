import { expect, test } from 'vitest';
import { bareEtag } from '../../../../src/backends/s3-protocol/etag.ts';

test('ETags with and without quotes', () => {
  const given = ['"a"', 'a', 'W/"a"', '""', '"', '"a', ''];
  expect(given.map(bareEtag)).toEqual(['a', 'a', 'a', '', '"', '"a', '']);
});
