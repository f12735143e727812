import { expect, test } from 'vitest';
import { modTimeFromMs } from '../../../src/core/mod-time.ts';
import { buildFilter } from '../../../src/filter/build-filter.ts';

test('ages by the time at which the store wrote the files, where it is known', async () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  const filter = await buildFilter(
    { 'min-age': '1h', 'use-server-modtime': true },
    async () => '',
    now,
  );
  const [young, old] = [modTimeFromMs(now), modTimeFromMs(now - 7_200_000)];
  const explain = (times: object) => filter.explainFile({ path: 'a', size: 1, ...times });
  expect(explain({ modTime: old, storedTime: young })).toMatchObject({
    keeps: false,
    from: '--min-age',
  });
  expect(explain({ modTime: young, storedTime: old })).toEqual({ keeps: true });
  expect(explain({ modTime: young }).keeps).toBe(false);
});
