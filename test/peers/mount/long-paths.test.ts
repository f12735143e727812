import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestGraph } from '../../servers/graph/start-graph.ts';
import { canMount } from '../../support/mount-place.ts';
import { type MountWorld, makeMountWorld } from '../../support/mount-world.ts';

const TOO_LONG = { code: 'ENAMETOOLONG' };

async function mountWorld(): Promise<MountWorld> {
  const world = await makeMountWorld();
  onTestFinished(() => world.remove());
  return world;
}

/** Directories and a file to a length that is just allowed; beyond it nothing is made, and nothing waits. */
async function expectLimit(mnt: string, dirs: readonly string[], rest: number): Promise<void> {
  const dir = join(mnt, ...dirs);
  await mkdir(dir, { recursive: true });
  const [longest, longer] = ['x'.repeat(rest), 'x'.repeat(rest + 1)];
  await writeFile(join(dir, longest), 'fits');
  await expect(writeFile(join(dir, longer), 'does not')).rejects.toMatchObject(TOO_LONG);
  await expect(mkdir(join(dir, longer))).rejects.toMatchObject(TOO_LONG);
  await expect(rename(join(dir, longest), join(dir, longer))).rejects.toMatchObject(TOO_LONG);
  const [top = ''] = dirs;
  await expect(rename(join(mnt, top), join(mnt, `${top}y`))).rejects.toMatchObject(TOO_LONG);
  expect(await readdir(dir)).toEqual([longest]);
}

test.skipIf(!canMount)('a key of more than 1024 bytes is refused at once', async () => {
  const world = await mountWorld();
  const running = await world.mount('--vfs-cache-mode', 'writes');
  await expectLimit(world.mnt, Array(4).fill('d'.repeat(250)), 20);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
});

test.skipIf(!canMount)('so is a path of more than 400 characters on a drive', async () => {
  const world = await mountWorld();
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  onTestFinished(() => graph.stop());
  const keys = { ...graph.section(), graph_url: graph.graphUrl };
  const lines = Object.entries({ ...keys, token: JSON.stringify(graph.newToken()) });
  const text = lines.map(([key, value]) => `${key} = ${value}\n`).join('');
  await writeFile(world.config, `[store]\n${text}`);
  graph.drive.put('bucket/there', 'x');
  const running = await world.mount('--vfs-cache-mode', 'writes');
  await expectLimit(world.mnt, ['d'.repeat(200)], 392 - 200);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
});
