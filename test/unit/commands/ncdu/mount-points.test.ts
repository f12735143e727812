import { expect, test } from 'vitest';
import { mountPoints } from '../../../../commands/ncdu/mount-points.ts';

const TABLE = Buffer.from(
  ['/', '/proc', '/usr', '/usr/lib/a\\040b', '/usr/lib/a\\040b', '/usr/lib2', '/usr/lib/\\001']
    .map((point, id) => `${id} 1 0:${id} / ${point} rw - ext4 /dev/x rw\n`)
    .join(''),
);

test('the mount points at a directory and below it', () => {
  expect(mountPoints('/', ['usr'], TABLE)).toEqual(['usr', 'usr/lib/a b', 'usr/lib2', 'usr/lib/␁']);
  expect(mountPoints('/usr', ['lib'], TABLE)).toEqual(['lib/a b', 'lib/␁']);
  expect(mountPoints('/usr', ['share', 'li'], TABLE)).toEqual([]);
  expect(mountPoints('/usr', [''], TABLE)).toEqual(['lib/a b', 'lib2', 'lib/␁']);
  expect(mountPoints('/', ['proc'])).toContain('proc');
});
