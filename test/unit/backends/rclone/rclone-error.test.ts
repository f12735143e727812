import { describe, expect, it } from 'vitest';
import { rcloneError } from '../../../../src/backends/rclone/rclone-error.ts';

describe('the meaning of an error of rclone', () => {
  it.each([
    ['error in ListJSON: directory not found', 'directory-not-found'],
    ['failed to find object: object not found', 'file-not-found'],
    ['remove /tmp/x/dir: directory not empty', 'not-empty'],
    ['write /mnt/full/x: no space left on device', 'no-space'],
    ['googleapi: Error 403: The storage quota exceeded for this account', 'quota-exceeded'],
    ['open /data/quota exceeded/timeout: permission denied', 'access-denied'],
    ['readdirent /tmp/x/dir/file: not a directory', 'not-a-directory'],
    ['"no such host": permission denied', 'access-denied'],
    ["couldn't fetch token: invalid_grant: maybe token expired? - try refreshing", 'sign-in'],
    ['dial tcp: lookup example.org: no such host', 'unreachable'],
    ['corrupted on transfer: sizes differ 5 vs 3', 'corrupted'],
    ['pacer: low level retry: 429 Too Many Requests', 'throttled'],
    ['something that nobody has seen', 'other'],
    ['failed to authenticate decrypted block - bad password?', 'other'],
    ["couldn't decrypt configuration, most likely wrong password.", 'config'],
  ])('%s', (text, code) => {
    expect(rcloneError(text, 'dir/file')).toMatchObject({ code, path: 'dir/file' });
  });

  it('does not take the name of a file for a cause', () => {
    const { code } = rcloneError('no space left.txt: permission denied', 'no space left.txt');
    expect(code).toBe('access-denied');
  });

  it('finds the cause whatever the path is', () => {
    for (const path of ['to', 'directory', 'found', 'not'])
      expect(rcloneError('directory not found', path).code).toBe('directory-not-found');
  });

  it('is one line that names the path', () => {
    const { message } = rcloneError('failed to look up: no\n  such host', 'a/b');
    expect(message).toBe('a/b: no; such host');
  });
});
