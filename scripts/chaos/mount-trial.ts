import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exerciseFileSystem } from '../../test/support/exercise-file-system.ts';
import { canMount } from '../../test/support/mount-place.ts';
import { type MountWorld, makeMountWorld } from '../../test/support/mount-world.ts';
import type { Running } from '../../test/support/run-syncer.ts';
import type { Case } from './case.ts';
import type { Dice } from './dice.ts';
import { readDisk } from './read-disk.ts';

/** A trial of a mount: random operations, an orderly end or a kill, and what the store holds then. */
export function mountCase(dice: Dice): Case | undefined {
  if (!canMount) return undefined;
  const mode = dice.pick(['off', 'minimal', 'writes', 'writes', 'full']);
  const flags = [
    `--vfs-cache-mode=${mode}`,
    `--vfs-write-back=${dice.pick(['0s', '20ms', '10s'])}`,
  ];
  if (dice.chance(30)) flags.push('--dir-cache-time=0s');
  if (dice.chance(20)) flags.push('--vfs-read-chunk-size=4Ki');
  const kills = ['writes', 'full'].includes(mode) && dice.chance(40);
  return {
    command: 'mount',
    from: 's3',
    to: 's3',
    flags,
    size: 10 + dice.below(50),
    name: `${dice.below(1_000_000)}`,
    ...(kills ? { path: 'kill' } : {}),
  };
}

/** Runs one: `name` is the seed of the operations, `size` their number. Gives what is wrong. */
export async function runMount({ flags, size = 50, name = '1', path }: Case): Promise<string[]> {
  process.env['SYNCER_TEST_DIST'] = '1';
  const world = await makeMountWorld();
  const mode = /cache-mode=(\w+)/.exec(flags.join(' '))?.[1] ?? '';
  const model = join(world.beside, 'model');
  mkdirSync(model);
  try {
    let running = await world.mount(...flags);
    await exerciseFileSystem({
      mount: world.mnt,
      model,
      seed: Number(name),
      operations: size,
      writesAnywhere: mode === 'writes' || mode === 'full',
    });
    if (path === 'kill') running = await killAndMount(world, running, flags, model);
    running.kill('SIGTERM');
    await running.ended;
    const [found, wanted] = [readDisk(world.bucket), readDisk(model)];
    const faults: string[] = [];
    for (const [file, { content }] of wanted?.files ?? []) {
      const there = found?.files.get(file)?.content;
      if (there !== content) faults.push(`${file} holds ${there} in the store, not ${content}`);
    }
    for (const file of found?.files.keys() ?? []) {
      if (wanted?.files.has(file) !== true) faults.push(`${file} should not be in the store`);
    }
    return faults;
  } catch (thrown) {
    return [(thrown as Error).message.slice(0, 1500)];
  } finally {
    await world.remove();
  }
}

/** Files are written and closed, and the mount is killed at once: the next one has them. */
async function killAndMount(
  world: MountWorld,
  running: Running,
  flags: readonly string[],
  model: string,
): Promise<Running> {
  for (let i = 0; i < 5; i++) {
    const content = `${i} closed before the kill`.repeat(1 + i * 300);
    await writeFile(join(world.mnt, `closed-${i}`), content);
    writeFileSync(join(model, `closed-${i}`), content);
  }
  running.kill('SIGKILL');
  await running.ended;
  await new Promise((done) => execFile('umount', ['-l', world.mnt], () => done(undefined)));
  return world.mount(...flags);
}
