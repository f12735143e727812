import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canMount } from '../support/mount-place.ts';
import { failureOf, type MountWorld, makeMountWorld } from '../support/mount-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: MountWorld;
beforeEach(async () => {
  world = await makeMountWorld();
});
afterEach(() => world.remove());

const fails = async (...args: string[]) => failureOf(await world.run(['mount', ...args]));

test.skipIf(!canMount)('a mount point that is missing, no directory, or not empty', async () => {
  const { beside } = world;
  expect(await fails('store:bucket', `${beside}/nope`)).toEqual({
    code: 1,
    message: `Failed to mount: mount point ${beside}/nope does not exist: create it first (mkdir -p ${beside}/nope)`,
  });
  await writeFile(join(beside, 'file'), '');
  expect((await fails('store:bucket', `${beside}/file`)).message).toMatch(/is not a directory$/);
  expect((await fails('store:bucket', beside)).message).toMatch(
    /is not empty: .*use --allow-non-empty to mount anyway$/,
  );
});

test.skipIf(!canMount)('a mount that is there already, also by a link', async () => {
  await world.mount();
  const link = join(world.beside, 'link');
  await symlink(world.mnt, link);
  for (const path of [world.mnt, link]) {
    const { code, message } = await fails('store:bucket', path, '--allow-non-empty');
    expect([code, message]).toEqual([
      1,
      `Failed to mount: ${world.mnt} is already mounted (store:bucket): syncer unmount ${world.mnt} first`,
    ]);
  }
});

test.skipIf(!canMount)('a stale mount, which --force clears', async () => {
  const running = await world.mount();
  running.kill('SIGKILL');
  await running.ended;
  const { message } = await fails('store:bucket', world.mnt);
  expect(message).toContain('is a stale mount (store:bucket), its process is gone');
  expect(message).toContain(`fusermount -uz ${world.mnt}, or mount with --force`);
  const listed = await world.run(['mounts']);
  expect(listed.stdout.toString()).toMatch(new RegExp(`${world.mnt} .*stale`));
  const again = world.start(['mount', 'store:bucket', world.mnt, '--force']);
  await waitFor(() => false, Promise.race([again.ended, listedLive()]));
  expect((await world.run(['unmount', world.mnt])).code).toBe(0);
  expect((await again.ended).code).toBe(0);
});

async function listedLive(): Promise<void> {
  for (;;) {
    const { stdout } = await world.run(['mounts', '--json']);
    const mounts = JSON.parse(stdout.toString()) as { mountPoint: string; health: string }[];
    if (mounts.some((one) => one.mountPoint === world.mnt && one.health === 'live')) return;
  }
}

test.skipIf(!canMount)('a remote that is unknown, cannot be reached, or is a file', async () => {
  const { mnt } = world;
  expect((await fails('nope:', mnt)).message).toMatch(/no remote named "nope"/);
  const nobody = ':s3,endpoint="http://127.0.0.1:1",access_key_id=a,secret_access_key=b:bucket';
  const { code, message } = await fails(nobody, mnt, '--low-level-retries', '1', '--retries', '1');
  expect([code === 0, message]).toEqual([false, expect.stringMatching(/refused|reach/)]);
  await writeFile(join(world.bucket, 'file'), 'x');
  expect((await fails('store:bucket/file', mnt)).message).toMatch(/is a file: only directories/);
});

test.skipIf(!canMount)('a folder is not mounted in itself', async () => {
  const inside = join(world.beside, 'a/b');
  await mkdir(inside, { recursive: true });
  expect((await fails(world.beside, inside)).message).toMatch(/overlap/);
});

test.skipIf(!canMount)(
  'the cache is not below the mount point, where it would be hidden',
  async () => {
    const { mnt, beside } = world;
    const link = join(beside, 'cache');
    await symlink(mnt, link);
    for (const path of [mnt, join(mnt, 'a/b'), join(link, 'a')]) {
      const { code, message } = await fails('store:bucket', mnt, '--cache-dir', path);
      expect([code, message]).toEqual([1, expect.stringMatching(/is below the mount point/)]);
    }
  },
);

test('flags that make no sense', async () => {
  const { mnt } = world;
  expect((await fails('store:bucket', mnt, '--umask', '9')).message).toMatch(
    /--umask takes permissions in octal, such as 022, not "9"/,
  );
  expect((await fails('store:bucket', mnt, '-o', 'vfs_cache_mode=full')).message).toMatch(
    /unknown mount option -o vfs_cache_mode; use the flag --vfs-cache-mode$/,
  );
  expect((await fails('store:bucket', mnt, '--allow-other', '--allow-root')).message).toMatch(
    /can't use --allow-root with --allow-other/,
  );
  expect((await fails('store:bucket', mnt, '--vfs-cache-mode', 'all')).message).toMatch(
    /"all" is not one of off, minimal, writes, full/,
  );
  expect(failureOf(await world.run(['unmount', mnt])).message).toBe(
    `Failed to unmount: nothing is mounted on ${mnt}`,
  );
});
