import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import type { MOUNT_FLAGS } from '../../../../commands/mount/flags.ts';
import { mountPlan, vfsOptionsOf } from '../../../../commands/mount/run-mount.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import type { FlagsWith } from '../../../../src/shell/flags/flag-table.ts';
import { VFS_DEFAULTS } from '../../../support/vfs-defaults.ts';

const flagsOf = (...words: string[]) =>
  parseCommandLine(['mount', 'r:a', '/mnt', ...words], {
    commands: COMMANDS,
    backendFlags: [],
    env: {},
    nowMs: 0,
  }).flags as FlagsWith<typeof MOUNT_FLAGS>;
const planOf = (...words: string[]) => mountPlan(flagsOf(...words), 'r:a', 1000);
const vfsOf = (...words: string[]) =>
  vfsOptionsOf(flagsOf(...words), {
    ...{ cacheDir: '/cache', uid: 0, gid: 0, umask: 0o022, isShown: undefined },
  });

test('the defaults of the flags are those of the file system', () => {
  expect(vfsOf()).toEqual({ ...VFS_DEFAULTS, cacheDir: '/cache' });
});

test('users and groups have numbers of 32 bits without a sign', () => {
  expect(vfsOf('--uid', '4294967295', '--gid', '0')).toMatchObject({ uid: 2 ** 32 - 1, gid: 0 });
  expect(() => vfsOf('--uid', '-5')).toThrow('--uid -5: must be a number from 0 to 4294967295');
  expect(() => vfsOf('--gid', '4294967296')).toThrow('--gid 4294967296: must be');
});

test('the file system as flags want it', () => {
  const flags = ['--vfs-cache-mode', 'Full', '--vfs-cache-max-size', '10G', '--umask', '077'];
  expect(vfsOf(...flags, '--uid', '5', '--file-perms', '0755', '--no-modtime')).toMatchObject({
    ...{ cacheMode: 'full', cacheMaxSize: 10 * 2 ** 30, uid: 5, noModTime: true },
    ...{ filePerms: 0o700, dirPerms: 0o700 },
  });
  expect(vfsOf('--dir-cache-time', 'off')).toHaveProperty('dirCacheTime', Number.POSITIVE_INFINITY);
  expect(vfsOf('--vfs-cache-max-size', 'off')).toHaveProperty('cacheMaxSize', undefined);
});

test.each([
  ['--no-checksum', { noChecksum: true }],
  ['--vfs-fast-fingerprint', { fastFingerprint: true }],
  ['--vfs-read-ahead=16M', { readAhead: 16 * 2 ** 20 }],
])('%s reaches the file system', (flag, option) => {
  expect(vfsOf(flag)).toMatchObject(option);
});

test.each([
  ['--async-read=false', { asyncRead: false }],
  ['--max-read-ahead=64Ki', { maxReadAhead: 64 * 1024 }],
  ['--write-back-cache', { writeBackCache: true }],
])('%s reaches the session', (flag, setting) => {
  expect(planOf(flag).session).toMatchObject(setting);
});

test('how to mount, and how to serve it', () => {
  const { request, session } = planOf();
  expect(request).toEqual({
    ...{ source: 'r:a', subtype: 'syncer', allowOther: false, defaultPermissions: false },
    ...{ readOnly: false, allowNonEmpty: false, options: [] },
  });
  expect(session).toEqual({
    ...{
      maxReadAhead: 131072,
      writeBackCache: false,
      asyncRead: true,
      allowIdmap: false,
      attrTimeoutMs: 1000,
    },
    ...{ directIo: false, requestLimitMs: undefined, onlyUser: undefined, logsRequests: false },
  });
});

test('options of mount(8)', () => {
  const { request } = planOf('--option', 'noatime,fsname=x,nonempty', '-o', 'max_read=4096');
  expect(request).toMatchObject({
    ...{ source: 'x', allowNonEmpty: true, options: ['noatime', 'max_read=4096'] },
  });
  expect(() => planOf('-o', 'uid=1')).toThrow('unknown mount option -o uid; use the flag --uid');
});

test('root alone besides the user', () => {
  const { request, session } = planOf('--allow-root');
  expect([request.allowOther, session.onlyUser]).toEqual([true, 1000]);
});

test('the source that every user sees holds no secret', () => {
  const source = ':s3,access_key_id=a,secret_access_key="x y":b';
  const shown = mountPlan(flagsOf(), source, 1000).request.source;
  expect(shown).toBe(':s3,access_key_id=a,secret_access_key=REDACTED:b');
});
