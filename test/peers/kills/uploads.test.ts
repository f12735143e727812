import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KILLS, killRounds } from '../../support/kill-rounds.ts';
import { makeS3World, type S3World } from '../../support/s3-world.ts';

let world: S3World;
beforeAll(async () => {
  world = await makeS3World({ inOwnProcess: true });
});
afterAll(() => world.remove());

const inParts = ['--s3-upload-cutoff', '5M'];

test.each([
  ['copy', []],
  ['sync', ['--bwlimit', '15M']],
  ['move', ['--transfers', '3']],
] as const)(
  '%s to a store, killed at any time, loses nothing and goes on',
  async (verb, flags) => {
    const [source, dest] = [join(world.dir, 'src'), join(world.bucket, verb)];
    const { log } = world.s3;
    await killRounds({
      ...{ world, verb, source, dest },
      words: [verb, 'src', `store:bucket/${verb}`, ...inParts, ...flags],
      begun: () => log.count('PutObject') + log.count('CreateMultipartUpload') > 0,
      reset: async () => {
        log.clear();
        await Promise.all([source, dest].map((dir) => rm(dir, { recursive: true, force: true })));
      },
      isTemporary: (path) => /(^|\/)syncer-partial-[0-9a-z-]+$/.test(path),
    });
    // What is left of uploads in parts is of the one file that goes up so, and no object.
    const left = new Set(await world.unfinishedUploads());
    expect([`${verb}/parts`]).toEqual(expect.arrayContaining([...left]));
    expect((await world.run(['cleanup', 'store:bucket', '--older-than', '0'])).code).toBe(0);
    expect(await world.unfinishedUploads()).toEqual([]);
  },
  60_000 + KILLS * 15_000,
);
