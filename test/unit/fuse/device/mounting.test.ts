import { execFile } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadSystemCalls } from '../../../../src/fuse/device/fuse-device.ts';
import {
  fusermountOptions,
  isMountOption,
  kernelOptions,
  type MountRequest,
  mountFlags,
  openDevice,
} from '../../../../src/fuse/device/mounting.ts';
import { hasProgram } from '../../../support/has-program.ts';
import { canMount, makeMountPlace } from '../../../support/mount-place.ts';

const plain: MountRequest = {
  ...{ mountPoint: '/mnt', source: 'r:a', subtype: 'syncer', allowOther: false },
  ...{ defaultPermissions: false, readOnly: false, allowNonEmpty: false, options: [] },
};

test('a mount has nosuid and nodev unless its options say suid and dev', () => {
  expect(mountFlags(plain)).toBe(2 | 4);
  expect(mountFlags({ ...plain, options: ['suid', 'dev', 'noexec'] })).toBe(8);
  expect(mountFlags({ ...plain, readOnly: true, options: ['rw'] })).toBe(1 | 2 | 4);
});

test('mount(2) gets the options of the kernel, and not ro', () => {
  const options = ['ro', 'max_read=4096', 'allow_other'];
  const request = { ...plain, allowOther: true, defaultPermissions: true, options };
  expect(kernelOptions(request, 9, 1, 2)).toBe(
    'fd=9,rootmode=40000,user_id=1,group_id=2,allow_other,default_permissions,max_read=4096',
  );
});

test('what fusermount gets: names with commas and backslashes stay whole', () => {
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

test('the complaint of fusermount, which gets a socket, is the error', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-fusermount-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const says =
    'echo "warning" >&2; [ -S /proc/self/fd/$_FUSE_COMMFD ] && echo "no: $*" >&2; exit 1';
  await writeFile(join(dir, 'fusermount3'), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  vi.spyOn(process, 'geteuid').mockReturnValue(1000);
  const opening = openDevice(await loadSystemCalls(), plain, { PATH: dir });
  const message = 'cannot mount on /mnt: no: -o fsname=r:a,subtype=syncer -- /mnt';
  await expect(opening).rejects.toMatchObject({ code: 'other', message });
});

/** `nobody`: fusermount asks for the name of its user. */
const USER = 65534;
const DEVICE = join(import.meta.dirname, '../../../../src/fuse/device');

/** Whether users besides root can open the device. */
const isForAll = canMount && (statSync('/dev/fuse').mode & 0o006) === 0o006;

test.skipIf(!isForAll || !hasProgram('fusermount3'))(
  'a user who may not mount gets the device from fusermount',
  async () => {
    const place = await makeMountPlace();
    onTestFinished(() => place.remove());
    chmodSync(place.base, 0o755);
    chownSync(place.mnt, USER, USER);
    const request: MountRequest = { ...plain, mountPoint: place.mnt };
    const script = `
      import { readFileSync } from 'node:fs';
      import { loadSystemCalls } from '${DEVICE}/fuse-device.ts';
      import { openDevice } from '${DEVICE}/mounting.ts';
      const device = await openDevice(await loadSystemCalls(), ${JSON.stringify(request)}, process.env);
      console.log(readFileSync('/proc/self/mountinfo', 'utf8'));
      device.close();
    `;
    const as = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', process.execPath];
    const words = [...as, '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)('setpriv', words, { cwd: '/' });
    const [mounted] = stdout.split('\n').filter((line) => line.includes(` ${place.mnt} `));
    expect(mounted).toContain('- fuse.syncer r:a ');
    expect(mounted).toContain(`user_id=${USER}`);
  },
);
