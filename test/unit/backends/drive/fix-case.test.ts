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

test('a file is told in other letters than asked for, but not in other characters for the same', async () => {
  await world.start({});
  const { remote } = world;
  await remote.write(sourceOf('dir/a?b\tc', 'content'), OP);
  const listed = Object.keys(await contentsOf(remote))[0] ?? '';
  const upper = `dir/${listed.slice('dir/'.length).toUpperCase()}`;
  const found = await Promise.all(
    ['dir/a?b\tc', listed, upper].map((path) => remote.stat(path, OP)),
  );
  expect(found).toMatchObject([
    { path: 'dir/a?b\tc' },
    { path: listed },
    { path: upper, storedPath: listed },
  ]);
  expect(found.slice(0, 2).map((entry) => entry && 'storedPath' in entry)).toEqual([false, false]);
});
