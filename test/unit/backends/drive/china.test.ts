import { expect, it } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { driveWorld } from '../../../support/drive-world.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';

// This cloud refuses addresses with a path, like `root:/dir/file`.
const world = driveWorld();
const open = (root = '') =>
  world.start(
    { drives: [{ type: 'business' }], pathAddresses: false },
    { region: 'cn', upload_cutoff: '1Ki' },
    root,
  );

it('reads, writes, copies, moves and deletes in the cloud of China', async () => {
  await open('dir');
  const { remote, graph } = world;
  const put = (path: string, content: string) => remote.write(sourceOf(path, content), OP);
  await put("new/it's #1", 'one');
  await put("new/it's #1", 'two'.repeat(1000));
  await put('new/empty', '');
  const file = await world.fileAt("new/it's #1");
  expect(`${await collectBody(await remote.read(file, undefined, OP), OP.signal)}`).toHaveLength(
    3000,
  );
  await remote.can.copyFrom?.(remote, file, 'copies/deep/c', OP);
  await remote.can.moveFrom?.(remote, file, 'new/m', OP);
  await deleteOne(remote, await world.fileAt('new/empty'), OP);
  await remote.makeDir('new/gone', OP);
  await remote.can.purge?.('new/gone', OP);
  await remote.can.setDirModTime?.('new', 1_600_000_000_000_000_000n, OP);
  expect(graph.drive.files()).toEqual(['dir/copies/deep/c', 'dir/new/m']);
  expect(graph.drive.item('dir/new').modified).toBe(1_600_000_000_000);
});

it('lists directories in the cloud of China, which has no changes to list', async () => {
  await open();
  const { remote, graph } = world;
  graph.drive.put('a/b/c/file', '');
  const { entries } = await remote.listPage('a/b/c', undefined, OP);
  expect(entries.map(({ path }) => path)).toEqual(['a/b/c/file']);
  expect(await remote.stat('a/b/none/file', OP)).toBeUndefined();
  expect(remote.can).not.toHaveProperty('changes');
  expect(remote.can).not.toHaveProperty('listDirs');
});
