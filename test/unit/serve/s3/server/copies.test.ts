import { cp, readFile, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestS3 } from '../../../../servers/test-s3.ts';

test('a file that a restored directory has under another inode is copied', async () => {
  const s3 = await startTestS3({ authKeys: [] });
  try {
    const send = (path: string, headers = {}, body = '') =>
      fetch(`${s3.endpoint}${path}`, { method: 'PUT', headers, body });
    await send('/bucket');
    await send('/bucket/key', {}, 'content');
    const file = join(s3.root, 'bucket/key');
    const { atime, mtime, ino } = await stat(file);
    await cp(file, `${file}-restored`);
    await utimes(`${file}-restored`, atime, mtime);
    await rename(`${file}-restored`, file);
    expect((await stat(file)).ino).not.toBe(ino);
    const copied = await send('/bucket/copy', { 'x-amz-copy-source': '/bucket/key' });
    expect(copied.status).toBe(200);
    expect(await readFile(join(s3.root, 'bucket/copy'), 'utf8')).toBe('content');
  } finally {
    await s3.stop();
  }
});
