import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { otherUsers } from '../../../src/config/other-users.ts';

test('root sees the users of /etc/passwd, each once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'passwd-'));
  const lines = [
    'root:x:0:0:root:/root:/bin/bash',
    'ann:x:1000:1000:Ann:/home/ann:/bin/sh',
    'toor:x:1000:1000::/home/toor:/bin/sh',
    'none:x:7:7:::',
    'not a line',
    '+::::::',
  ];
  await writeFile(join(dir, 'passwd'), lines.join('\n'));
  expect(await otherUsers(0, join(dir, 'passwd'))).toEqual([
    { name: 'ann', uid: 1000, env: { HOME: '/home/ann', XDG_RUNTIME_DIR: '/run/user/1000' } },
  ]);
  await rm(dir, { recursive: true });
});

test('others are refused', async () => {
  await expect(otherUsers(1000)).rejects.toMatchObject({
    code: 'access-denied',
    message: 'only root can list the runs of other users',
  });
});
