import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exerciseFileSystem } from '../../support/exercise-file-system.ts';
import { failingNetwork } from '../../support/failing-network.ts';
import { canMount } from '../../support/mount-place.ts';
import { type MountWorld, makeMountWorld } from '../../support/mount-world.ts';

/** Operations for each mode: a few in CI, `SYNCER_TEST_OPERATIONS=10000` for a long run. */
const operations = Number(process.env['SYNCER_TEST_OPERATIONS'] ?? 400);
/** One request in so many fails, or the network for some; 0: none does. */
const oneIn = Number(process.env['SYNCER_TEST_FAULTS'] ?? 50);
const seed = Number(process.env['SYNCER_TEST_SEED'] ?? Date.now() % 100_000);
const WRITE_BACKS = ['0s', '50ms', '10s'];

let world: MountWorld;
beforeEach(async () => {
  world = await makeMountWorld();
});
afterEach(() => world.remove());

const limits = { timeout: 120_000 + operations * 200 };

test.skipIf(!canMount).for([
  ['off', false],
  ['minimal', false],
  ['writes', true],
  ['full', true],
] as const)(`cache mode %s, seed ${seed}`, limits, async ([mode, writesAnywhere]) => {
  const flags = ['--vfs-cache-mode', mode, '--vfs-write-back', WRITE_BACKS[seed % 3] ?? ''];
  if (seed % 4 === 0) flags.push('--dir-cache-time=0s');
  if (seed % 5 === 0) flags.push('--vfs-read-chunk-size=4Ki');
  const running = await world.mount(...flags);
  if (oneIn > 0) world.s3.setFaults(failingNetwork(seed, oneIn));
  await exerciseFileSystem({
    ...{ mount: world.mnt, model: world.beside, seed, operations, writesAnywhere },
  }).catch((thrown: Error) => {
    thrown.message += `\nThe mount said:\n${running.seen.stderr.slice(-2000)}`;
    throw thrown;
  });
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
  const next = await world.mount('--read-only');
  expect(
    (await world.call('diff', '-r', world.mnt, world.beside)).output.replace(
      /^Only in .*: [abc]\n/gm,
      '',
    ),
  ).toBe('');
  next.kill('SIGTERM');
  await next.ended;
});

test.skipIf(!canMount)(
  'killed at random moments, nothing is lost that was closed',
  limits,
  async () => {
    const flags = ['--vfs-cache-mode', 'writes', '--vfs-write-back', '20ms'];
    const closed = new Map<string, string>();
    for (let round = 0; round < 4; round++) {
      const running = await world.mount(...flags);
      const folder = join(world.mnt, `round-${round}`);
      await mkdir(folder).catch(() => {});
      const isKilled = new Promise<void>((resolve) => {
        setTimeout(
          () => resolve(running.kill('SIGKILL')),
          20 + ((seed * (round + 1) * 7919) % 400),
        );
      });
      for (let i = 0, isOver = false; !isOver && i < 3000; i++) {
        const name = `round-${round}/${i % 40}`;
        const content = `${round} ${i} `.repeat(1 + (i % 50));
        closed.delete(name);
        isOver = await writeFile(join(world.mnt, name), content).then(
          () => false,
          () => true,
        );
        if (!isOver) closed.set(name, content);
      }
      await isKilled;
      await running.ended;
      await world.call('fusermount3', '-uz', world.mnt);
    }
    const last = await world.mount(...flags);
    for (const [name, content] of closed) {
      expect(await readFile(join(world.mnt, name), 'utf8'), `${name}, seed ${seed}`).toBe(content);
    }
    last.kill('SIGTERM');
    await last.ended;
    for (const [name, content] of closed) {
      expect(await readFile(join(world.bucket, name), 'utf8'), `${name}, seed ${seed}`).toBe(
        content,
      );
    }
    await rm(world.bucket, { recursive: true });
  },
);
