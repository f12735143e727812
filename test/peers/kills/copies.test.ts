import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { KILLS, killRounds, OLD_FILES, SMALL_FILES } from '../../support/kill-rounds.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
});
afterAll(() => world.remove());

test.each([
  ['copy', [], undefined],
  ['sync', [], SMALL_FILES],
  ['sync', ['--bwlimit', '15M'], undefined],
  ['move', ['--bwlimit', '15M', '--transfers', '3'], undefined],
] as const)(
  '%s %j from disk to disk, killed at any time, loses nothing and goes on',
  async (verb, flags, files) => {
    const [source, dest] = [join(world.dir, 'src'), join(world.dir, 'dst')];
    await killRounds({
      ...{ world, verb, source, dest },
      words: [verb, 'src', 'dst', ...flags],
      ...(files === undefined ? {} : { files }),
      begun: () => readdirSync(dest, { recursive: true }).length > before,
      reset: async () => {
        await Promise.all([source, dest].map((dir) => rm(dir, { recursive: true, force: true })));
      },
      isTemporary: (path) => /(^|\/)\.[^/]+\.syncer-partial-[0-9a-z-]+$/.test(path),
    });
  },
  60_000 + KILLS * 15_000,
);

/** Files and folders that are at the destination before a run. */
const before = Object.keys(OLD_FILES).length + 5;
