import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { KILLS, killRounds } from '../../support/kill-rounds.ts';
import { makeS3World, type S3World } from '../../support/s3-world.ts';

let world: S3World;
beforeAll(async () => {
  world = await makeS3World({ inOwnProcess: true });
});
afterAll(() => world.remove());

test.each([
  ['copy', []],
  ['sync', ['--bwlimit', '15M']],
  ['move', ['--transfers', '3']],
] as const)(
  '%s from a store, killed at any time, loses nothing and goes on',
  async (verb, flags) => {
    const [source, dest] = [join(world.bucket, verb), join(world.dir, 'dst')];
    const { log } = world.s3;
    await killRounds({
      ...{ world, verb, source, dest },
      words: [verb, `store:bucket/${verb}`, 'dst', ...flags],
      begun: () => log.count('GetObject') > 0,
      reset: async () => {
        log.clear();
        await Promise.all([source, dest].map((dir) => rm(dir, { recursive: true, force: true })));
      },
      isTemporary: (path) => /(^|\/)(?:\.[^/]+\.)?syncer-partial-[0-9a-z-]+$/.test(path),
    });
  },
  60_000 + KILLS * 15_000,
);
