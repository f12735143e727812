import { expect, test } from 'vitest';
import type { ListedMount } from '../../../../commands/mount/list-mounts.ts';
import { mountLines } from '../../../../commands/mount/mount.ts';

const mount: ListedMount = {
  ...{ mountPoint: '/mnt/a', source: 'r:a', health: 'live', pid: 7, since: 0, isEnding: false },
  cacheMode: 'full',
  state: {
    ...{ uploadsWaiting: 2, uploadsRunning: 1, uploadsFailed: 1, pendingBytes: 2048 },
    ...{ cachedBytes: 3 * 2 ** 20, cachedFiles: 4 },
  },
};

test('a table', () => {
  const stale: ListedMount = { mountPoint: '/b', source: 'r:', health: 'stale' };
  expect(mountLines([mount, stale], 61_500)).toEqual([
    'MOUNT POINT  SOURCE  STATE  UPLOADS                      CACHE           MODE  PID  SINCE',
    '/mnt/a       r:a     live   3 pending (2 KiB), 1 failed  4 files, 3 MiB  full  7    1m1s',
    '/b           r:      stale  -                            -               -     -    -',
  ]);
});

test('in a narrow window a list', () => {
  expect(mountLines([mount, mount], 61_500, 79)).toEqual([
    'MOUNT POINT  /mnt/a',
    'SOURCE       r:a',
    'STATE        live',
    'UPLOADS      3 pending (2 KiB), 1 failed',
    'CACHE        4 files, 3 MiB',
    'MODE         full',
    'PID          7',
    'SINCE        1m1s',
    '',
    'MOUNT POINT  /mnt/a',
    ...mountLines([mount], 61_500, 79).slice(1),
  ]);
});

test('on its way out, and nothing at all', () => {
  expect(mountLines([{ ...mount, isEnding: true }], 0)[1]).toContain('  ending  ');
  expect(mountLines([], 0)).toEqual(['Nothing is mounted.']);
});
