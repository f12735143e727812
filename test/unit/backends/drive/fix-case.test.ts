import { expect, test } from 'vitest';
import { driveWorld } from '../../../support/drive-world.ts';
import { contentsOf, remoteWith, runOnce } from '../../../support/memory-world.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

const world = driveWorld();

test.each([{}, { fastList: true }])(
  '--fix-case renames on a drive, which ignores case: %o',
  async (how) => {
    await world.start({});
    const { remote } = world;
    for (const path of ['a.txt', 'dir/f.txt', 'dir/sub/x'])
      await remote.write(sourceOf(path, path), OP);
    const old = await contentsOf(remote);
    const upper = Object.fromEntries(Object.keys(old).map((path) => [path.toUpperCase(), path]));
    const source = await remoteWith(upper);
    const run = await runOnce('sync', source, remote, { fixCase: true, sizeOnly: true, ...how });
    expect([run.error, run.transferred]).toEqual([undefined, 0]);
    expect(Object.keys(await contentsOf(remote)).sort()).toEqual(Object.keys(upper).sort());
    const again = await runOnce('sync', source, remote, { fixCase: true, sizeOnly: true, ...how });
    expect(again.log.join()).not.toContain('case');
  },
);
