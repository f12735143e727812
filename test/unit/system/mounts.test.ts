import { expect, test } from 'vitest';
import { parseMountTable } from '../../../src/system/mounts.ts';

test('optional fields, escaped names and names that are not UTF-8', () => {
  const table = [
    '21 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/root rw',
    '40 21 0:39 / /mnt/a\\040b\\134c rw,nosuid,nodev - fuse.syncer s3:b\\040c rw,user_id=0',
    '41 21 0:40 / /mnt/\xff rw - fuse x rw',
    '',
  ].join('\n');
  expect(parseMountTable(Buffer.from(table, 'latin1'))).toEqual([
    { device: '254:0', root: '/', mountPoint: '/', type: 'ext4', source: '/dev/root' },
    { device: '0:39', root: '/', mountPoint: '/mnt/a b\\c', type: 'fuse.syncer', source: 's3:b c' },
    { device: '0:40', root: '/', mountPoint: '/mnt/\udcff', type: 'fuse', source: 'x' },
  ]);
});
