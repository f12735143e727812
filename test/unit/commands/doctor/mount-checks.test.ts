import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MountSurroundings, mountChecks } from '../../../../commands/doctor/folder-checks.ts';
import { collect } from './collect.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-doctor-'));
  await writeFile(join(dir, 'fuse.conf'), 'user_allow_other\n');
});
afterAll(() => rm(dir, { recursive: true }));

const checks = (given: Partial<MountSurroundings> = {}) =>
  collect(
    mountChecks({
      ...{ uid: 1000, device: '/dev/null', settings: join(dir, 'fuse.conf') },
      findFusermount: async () => '/bin/fusermount3',
      mounts: async () => [],
      ...given,
    }),
  );

describe.runIf(process.platform === 'linux')('mounts', () => {
  test('in order', async () => {
    expect(await checks()).toEqual({
      fuse: 'ok: /dev/null',
      fusermount: 'ok: /bin/fusermount3',
      'allow-other': `ok: ${join(dir, 'fuse.conf')} has user_allow_other`,
      mounts: 'ok: none',
    });
  });

  test('without what they need', async () => {
    const findFusermount = async () => undefined;
    expect(await checks({ device: join(dir, 'fuse'), findFusermount })).toMatchObject({
      fuse: `warning: ${join(dir, 'fuse')} does not exist: mount does not work $ sudo modprobe fuse`,
      fusermount:
        'warning: fusermount3 is not installed: only root can mount $ sudo apt install fuse3',
    });
    expect(await checks({ findFusermount, uid: 0 })).toMatchObject({
      fusermount: 'ok: not installed, and root does not need it',
    });
    expect((await checks({ settings: '/nope' }))['allow-other']).toBe(
      'ok: only root may use --allow-other; to change that: echo user_allow_other | sudo tee -a /nope',
    );
  });

  test('whose process is gone or does not respond', async () => {
    const at = (mountPoint: string, health: 'live' | 'stale' | 'hung') => {
      return { mountPoint, source: 'photos:', health };
    };
    expect((await checks({ mounts: async () => [at('/a', 'live')] }))['mounts']).toBe(
      'ok: 1 respond',
    );
    expect((await checks({ mounts: async () => [at('/a b', 'stale')] }))['mounts']).toBe(
      "failed: the process of the mount of photos: on /a b is gone $ fusermount3 -uz '/a b'",
    );
    expect((await checks({ mounts: async () => [at('/a', 'hung')] }))['mounts']).toBe(
      'failed: the mount of photos: on /a does not respond $ fusermount3 -uz /a',
    );
  });
});
