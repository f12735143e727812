import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canMount, type MountPlace, makeMountPlace } from '../support/mount-place.ts';
import type { Running } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { promiseWorld, STORAGES } from './promise-world.ts';

const world = promiseWorld();

let place: MountPlace;
let running: Running | undefined;
beforeEach(async () => {
  if (canMount) place = await makeMountPlace();
});
afterEach(async () => {
  running?.kill('SIGKILL');
  if (canMount) await place.remove();
});

const isMounted = () => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${place.mnt} `);

/** Mounts a remote with a cache of its own; resolves when it can be used. */
async function mount(at: string, flags: string): Promise<Running> {
  const cache = join(place.base, 'cache');
  running = world.start(`mount ${at} ${place.mnt} --cache-dir ${cache} ${flags}`);
  await waitFor(isMounted, running.ended);
  return running;
}

/** Unmounts it as `unmount --wait` does: when the uploads are done. */
async function unmount(): Promise<void> {
  await world.done(`unmount --wait ${place.mnt}`);
  expect((await running?.ended)?.code).toBe(0);
}

describe.skipIf(!canMount).each(STORAGES)('a mount of %s', (storage) => {
  test('reads what the remote has', async () => {
    const remote = world.place(storage);
    const large = Array.from({ length: 400_000 }, (_, n) => `${n}\n`).join('');
    await remote.put({ 'a.txt': 'content', 'dir/large.bin': large });
    await mount(remote.at, '--read-only');
    expect(await readFile(join(place.mnt, 'a.txt'), 'utf8')).toBe('content');
    const read = await readFile(join(place.mnt, 'dir/large.bin'), 'utf8');
    expect(read === large, 'each byte is in its place').toBe(true);
    await expect(writeFile(join(place.mnt, 'b.txt'), 'b')).rejects.toThrow('EROFS');
    await unmount();
  });

  test('files written, changed, renamed and deleted on it are so on the remote', async () => {
    const remote = world.place(storage);
    await remote.put({ 'a.txt': 'old', 'b.txt': 'b', 'c.txt': 'c' });
    await mount(remote.at, '--vfs-cache-mode writes --vfs-write-back 100ms');
    const at = (path: string) => join(place.mnt, path);
    await appendFile(at('a.txt'), ' and more');
    await mkdir(at('dir'));
    await writeFile(at('dir/new.txt'), 'new');
    await rename(at('b.txt'), at('dir/moved.txt'));
    await rm(at('c.txt'));
    await writeFile(at('draft.txt'), 'deleted before it is uploaded');
    await rm(at('draft.txt'));
    await unmount();
    expect(await remote.contents()).toEqual({
      'a.txt': 'old and more',
      'dir/new.txt': 'new',
      'dir/moved.txt': 'b',
    });
  });

  test('a closed file survives `kill -9`: the next mount uploads it', async () => {
    const remote = world.place(storage);
    await remote.put({ 'a.txt': 'old' });
    const killed = await mount(remote.at, '--vfs-cache-mode writes --vfs-write-back 1h');
    await writeFile(join(place.mnt, 'a.txt'), 'written on the mount');
    await writeFile(join(place.mnt, 'new.txt'), 'new');
    killed.kill('SIGKILL');
    await killed.ended;
    expect(await remote.contents()).toEqual({ 'a.txt': 'old' });
    await world.syncer(`unmount ${place.mnt}`);
    await waitFor(() => !isMounted());
    await mount(remote.at, '--vfs-cache-mode writes --vfs-write-back 100ms');
    await unmount();
    expect(await remote.contents()).toEqual({ 'a.txt': 'written on the mount', 'new.txt': 'new' });
  });
});

test.skipIf(!canMount)('what is written while its file is uploaded is uploaded, too', async () => {
  const remote = world.place('S3');
  let isUploading = false;
  const later = new Promise((resolve) => setTimeout(resolve, 2000));
  world.s3.setFaults(({ operation }) => {
    if (operation !== 'PutObject') return undefined;
    isUploading = true;
    return { until: later };
  });
  await mount(remote.at, '--vfs-cache-mode writes --vfs-write-back 100ms');
  await writeFile(join(place.mnt, 'a.txt'), 'first');
  await waitFor(() => isUploading, running?.ended);
  await appendFile(join(place.mnt, 'a.txt'), ' and second');
  await unmount();
  world.s3.setFaults(undefined);
  expect(await remote.contents()).toEqual({ 'a.txt': 'first and second' });
});

test.skipIf(!canMount)(
  'a second mount with the same cache is refused with exit code 75',
  async () => {
    const remote = world.place('S3');
    await remote.put({ 'a.txt': 'a' });
    await mount(remote.at, '--vfs-cache-mode writes');
    const flags = `--cache-dir ${join(place.base, 'cache')} --vfs-cache-mode writes`;
    expect((await world.syncer(`mount ${remote.at} ${place.beside} ${flags}`)).code).toBe(75);
    await unmount();
  },
);
