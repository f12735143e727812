import { expect, test } from 'vitest';
import { SyncerError, toSyncerError } from '../../../src/core/errors.ts';

test.each([
  [new Error('one\ntwo'), 'one'],
  ['text', 'text'],
  [null, 'null'],
  [
    Object.assign(new Error('ENOENT: process.cwd failed'), { syscall: 'uv_cwd' }),
    'cannot resolve a relative path: the working directory was deleted; change to another directory or use absolute paths',
  ],
])('%s', (thrown, message) => {
  expect(toSyncerError(thrown)).toMatchObject({ code: 'other', message, cause: thrown });
});

test('a SyncerError stays what it is', () => {
  const error = new SyncerError('usage', 'x');
  expect(toSyncerError(error)).toBe(error);
});
