import { expect, test } from 'vitest';
import { SyncerError, toSyncerError } from '../../../src/core/errors.ts';

test.each([
  [new Error('one\ntwo'), 'one'],
  ['text', 'text'],
  [null, 'null'],
  [systemError('EACCES', 'open', '/a'), 'open /a: permission denied'],
  [systemError('EPIPE', 'write'), 'write: permission denied'],
  [Object.assign(new Error('E: no, open'), { code: 'X' }), 'E: no, open'],
  [
    Object.assign(new Error('ENOENT: process.cwd failed'), { syscall: 'uv_cwd' }),
    'cannot resolve a relative path: the working directory was deleted; change to another directory or use absolute paths',
  ],
])('%s', (thrown, message) => {
  expect(toSyncerError(thrown)).toMatchObject({ code: 'other', message, cause: thrown });
});

function systemError(code: string, syscall: string, path?: string): Error {
  const where = path === undefined ? '' : ` '${path}'`;
  const error = new Error(`${code}: permission denied, ${syscall}${where}`);
  return Object.assign(error, { code, syscall, path });
}

test('a SyncerError stays what it is', () => {
  const error = new SyncerError('usage', 'x');
  expect(toSyncerError(error)).toBe(error);
});
