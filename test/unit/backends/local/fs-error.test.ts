import { describe, expect, it } from 'vitest';
import { fsError, isFsError, showPath } from '../../../../src/backends/local/fs-error.ts';
import { SyncerError } from '../../../../src/core/errors.ts';

function errno(code: string, number?: number): Error {
  return Object.assign(new Error(`${code}: of node, open '/x'\nmore`), {
    code,
    ...(number === undefined ? {} : { errno: number }),
  });
}

describe('fsError', () => {
  it.each([
    ['ENOENT', -2, 'file-not-found', 'no such file or directory'],
    ['EACCES', -13, 'access-denied', 'permission denied'],
    ['EPERM', -1, 'access-denied', 'operation not permitted'],
    ['ENOSPC', -28, 'no-space', 'no space left on device'],
    ['EDQUOT', -122, 'no-space', 'disk quota exceeded'],
    ['Unknown system error -122', -122, 'no-space', 'disk quota exceeded'],
    ['ENAMETOOLONG', -36, 'name-invalid', 'file name too long'],
    ['EROFS', -30, 'read-only', 'read-only file system'],
    ['EISDIR', -21, 'not-a-file', 'is a directory'],
    ['ENOTDIR', -20, 'not-a-directory', 'not a directory'],
    ['ENOTEMPTY', -39, 'not-empty', 'directory not empty'],
    ['EMFILE', -24, 'throttled', 'too many open files'],
    ['ELOOP', -40, 'unreadable', 'too many levels of symbolic links'],
    ['EIO', -5, 'other', 'i/o error'],
  ])('%s is %s', (code, number, expected, text) => {
    const error = fsError(errno(code, number), 'open', '/dir/a\nb');
    expect(error).toMatchObject({ code: expected, message: `open /dir/a␊b: ${text}` });
  });

  it('tries again what only lacks free file handles', () => {
    expect(fsError(errno('EMFILE', -24), 'open', '/x').retry).toBe(true);
  });

  it('has the caller say what a missing thing and a refused access are', () => {
    const meaning = { missing: 'directory-not-found', denied: 'unreadable' } as const;
    expect(fsError(errno('ENOENT', -2), 'open', '/x', meaning).code).toBe('directory-not-found');
    expect(fsError(errno('EACCES', -13), 'open', '/x', meaning).code).toBe('unreadable');
  });

  it('leaves a SyncerError as it is', () => {
    const error = new SyncerError('corrupted', 'x');
    expect(fsError(error, 'open', '/x')).toBe(error);
  });

  it('takes the message of what is no error of the file system', () => {
    expect(fsError(new Error('one\ntwo'), 'open', '/x')).toMatchObject({
      code: 'other',
      message: 'one',
    });
  });
});

describe('isFsError', () => {
  it('tells codes apart', () => {
    expect(isFsError(errno('ENOENT'), 'ENOENT', 'EXDEV')).toBe(true);
    expect(isFsError(errno('ENOENT'), 'EXDEV')).toBe(false);
    expect(isFsError(new Error('ENOENT'), 'ENOENT')).toBe(false);
  });
});

describe('showPath', () => {
  it('keeps a path in one line', () => {
    expect(showPath('/a\r\n\x7f\x01é')).toBe('/a␍␊␡␁é');
  });
});
