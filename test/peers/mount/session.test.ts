import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unmountLazily } from '../../../src/fuse/device/mounting.ts';
import { exerciseFileSystem } from '../../support/exercise-file-system.ts';
import { canMount, type MountPlace, makeMountPlace } from '../../support/mount-place.ts';
import { waitFor } from '../../support/wait-for.ts';

const server = resolve(import.meta.dirname, '../../support/serve-memory-mount.ts');
const operations = Number(process.env['SYNCER_TEST_OPERATIONS'] ?? 600);

let place: MountPlace;
let child: ChildProcess;
let output = '';

beforeEach(async () => {
  if (!canMount) return;
  place = await makeMountPlace();
  output = '';
  child = spawn(process.execPath, [server, place.mnt], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await waitFor(() => output.includes('ready'), once(child, 'exit'));
});

afterEach(async () => {
  if (!canMount) return;
  child.kill('SIGKILL');
  await place.remove();
});

test.skipIf(!canMount).for([1, 2, 3, 4])(
  'random operations come out as on a local disk: seed %i',
  { timeout: 60_000 + operations * 100 },
  async (seed) => {
    await exerciseFileSystem({
      ...{ mount: place.mnt, model: place.beside, seed, operations, writesAnywhere: true },
    });
    const exited = once(child, 'exit');
    await unmountLazily(place.mnt);
    await exited;
    expect(output).toMatch(/ended, \d+ known, 0 open/);
  },
);

test.skipIf(!canMount)('64 files written and read at once', async () => {
  const dirs = Array.from({ length: 64 }, (_, i) => i);
  await Promise.all(
    dirs.map(async (i) => {
      const [mount, model] = [join(place.mnt, `${i}`), join(place.beside, `${i}`)];
      await Promise.all([mkdir(mount), mkdir(model)]);
      await exerciseFileSystem({ mount, model, seed: i, operations: 20, writesAnywhere: true });
    }),
  );
});
