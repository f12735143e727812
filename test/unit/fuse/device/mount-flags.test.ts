import { expect, test } from 'vitest';
import {
  fusermountOptions,
  isMountOption,
  kernelOptions,
  type MountRequest,
  mountFlags,
} from '../../../../src/fuse/device/mounting.ts';

const plain: MountRequest = {
  ...{ mountPoint: '/mnt', source: 'r:a', subtype: 'syncer', allowOther: false },
  ...{ defaultPermissions: false, readOnly: false, allowNonEmpty: false, options: [] },
};

test('nothing from a remote may gain rights, unless asked for', () => {
  expect(mountFlags(plain)).toBe(2 | 4);
  expect(mountFlags({ ...plain, options: ['suid', 'dev', 'noexec'] })).toBe(8);
  expect(mountFlags({ ...plain, readOnly: true, options: ['rw'] })).toBe(1 | 2 | 4);
});

test('what the kernel is told', () => {
  const options = ['ro', 'max_read=4096', 'allow_other'];
  const request = { ...plain, allowOther: true, defaultPermissions: true, options };
  expect(kernelOptions(request, 9, 1, 2)).toBe(
    'fd=9,rootmode=40000,user_id=1,group_id=2,allow_other,default_permissions,max_read=4096',
  );
});

test('what fusermount is told: names with commas and backslashes stay whole', () => {
  const request = { ...plain, source: 'r:a,b\\c', readOnly: true, allowNonEmpty: true };
  expect(fusermountOptions(request)).toBe('fsname=r:a\\,b\\\\c,subtype=syncer,ro,nonempty');
});

test.each([
  ['noatime', true],
  ['max_read=10', true],
  ['max_read=x', false],
  ['vfs_cache_mode=full', false],
  ['toString', false],
])('%s', (option, isKnown) => {
  expect(isMountOption(option)).toBe(isKnown);
});
