import { expect, test } from 'vitest';
import { calledAs, DAEMON_MARK } from '../../../../commands/mount/called-as.ts';

const WORDS = ['r:a', '/mnt', '-n', '-v', '-o', 'rw,vfs_cache_mode=full,env.HOME=/root'];
const MOUNTS = {
  argv: ['mount', 'r:a', '/mnt', '--daemon', '-v', '--vfs-cache-mode=full', '-o', 'rw'],
  env: { A: 'b', HOME: '/root' },
};

test('mounts for mount(8), by its name or by a script that says so', async () => {
  const env = { A: 'b' };
  expect(await calledAs('/sbin/mount.syncer', WORDS, env)).toEqual(MOUNTS);
  expect(await calledAs('/opt/syncer/syncer.js', ['mount.syncer', ...WORDS], env)).toEqual(MOUNTS);
});

test('mounts for the helper of fuse', async () => {
  const { argv } = await calledAs('/usr/bin/syncer', ['r:a', '/mnt', '-o', 'ro'], {});
  expect(argv).toEqual(['mount', 'r:a', '/mnt', '--daemon', '-o', 'ro']);
});

test('takes other words as they are, and those of its own child', async () => {
  const copy = ['copy', 'mount.syncer', 'b'];
  expect((await calledAs('/usr/bin/syncer', copy, {})).argv).toBe(copy);
  expect((await calledAs('/sbin/mount.syncer', WORDS, { [DAEMON_MARK]: '1' })).argv).toBe(WORDS);
});
