import { expect, test } from 'vitest';
import { fstabLine } from '../../../../commands/mount/fstab-line.ts';

test('as mount(8) calls it for a line of fstab', () => {
  const options = 'rw,noauto,nofail,_netdev,x-systemd.automount,allow_other,vfs_cache_mode=full';
  expect(fstabLine(['r:a', '/mnt', '-o', options])).toEqual({
    argv: [
      ...['mount', 'r:a', '/mnt', '--daemon', '--vfs-cache-mode=full'],
      ...['-o', 'rw,allow_other'],
    ],
    env: {},
  });
});

test('its own letters, types and the environment', () => {
  const words = ['-sv', 'r:', '-t', 'fuse.syncer', '/mnt', '-n', '-ovv,env.HOME=/root,uid=5'];
  expect(fstabLine(words)).toEqual({
    argv: ['mount', 'r:', '/mnt', '--daemon', '-v', '-vv', '--uid=5'],
    env: { HOME: '/root' },
  });
});

test('quoted values', () => {
  const { argv } = fstabLine(['r:', '/mnt', '-o', 'exclude="*.a,b",ro']);
  expect(argv).toEqual(['mount', 'r:', '/mnt', '--daemon', '--exclude=*.a,b', '-o', 'ro']);
});
