import { expect, test } from 'vitest';
import { ERROR_RULES, type ErrorCode, SyncerError } from '../../../../src/core/errors.ts';
import { ERRNO, errnoOf, isEveryday } from '../../../../src/fuse/session/errno.ts';

test.each<[ErrorCode, number]>([
  ['file-not-found', ERRNO.ENOENT],
  ['directory-not-found', ERRNO.ENOENT],
  ['already-exists', ERRNO.EEXIST],
  ['not-empty', ERRNO.ENOTEMPTY],
  ['not-a-directory', ERRNO.ENOTDIR],
  ['not-a-file', ERRNO.EISDIR],
  ['access-denied', ERRNO.EACCES],
  ['read-only', ERRNO.EROFS],
  ['no-space', ERRNO.ENOSPC],
  ['quota-exceeded', ERRNO.ENOSPC],
  ['name-too-long', ERRNO.ENAMETOOLONG],
  ['too-large', ERRNO.EFBIG],
  ['unsupported', ERRNO.EOPNOTSUPP],
  ['interrupted', ERRNO.EINTR],
  ['timed-out', ERRNO.ETIMEDOUT],
  ['source-changed', ERRNO.ESTALE],
  ['network', ERRNO.EIO],
  ['server', ERRNO.EIO],
  ['other', ERRNO.EIO],
])('%s', (code, errno) => {
  expect(errnoOf(new SyncerError(code, 'x'))).toBe(errno);
});

test('every code has a number, and so has what is no error of ours', () => {
  for (const code of Object.keys(ERROR_RULES) as ErrorCode[]) {
    expect(errnoOf(new SyncerError(code, 'x'))).toBeGreaterThan(0);
  }
  expect(errnoOf(new TypeError('x'))).toBe(ERRNO.EIO);
});

test('names', () => {
  const invalid = (path: string) => errnoOf(new SyncerError('name-invalid', 'no', { path }));
  expect(invalid(`a/${'x'.repeat(256)}`)).toBe(ERRNO.ENAMETOOLONG);
  expect(invalid('a/b:c')).toBe(ERRNO.EINVAL);
  const long = new SyncerError('name-invalid', 'no', { path: 'a/b', nameFault: 'length' });
  expect(errnoOf(long)).toBe(ERRNO.ENAMETOOLONG);
  expect(errnoOf(new SyncerError('name-invalid', 'too long'))).toBe(ERRNO.EINVAL);
});

test('what a program cannot cope with is logged', () => {
  expect([isEveryday(ERRNO.ENOENT), isEveryday(ERRNO.EIO)]).toEqual([true, false]);
});
