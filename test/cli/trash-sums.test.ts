import { expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

test('what was restored is counted, also if some of it failed', async () => {
  await writeTree(world.dir, { 'b/same': '1', 'b/x': 'old', 'b/d/extra': 'gone' });
  await syncer('mkdir s:partly');
  await syncer('copy @b s:partly/to --no-history');
  await syncer('delete s:partly/to --trash');
  expect((await syncer('trash restore s:partly/to same')).stdout).toBe('Restored 1 file\n');
  world.s3.setFaults(({ key }) => (key === 'to/d/extra' ? { status: 403 } : undefined));
  const failed = await syncer('trash restore s:partly/to --retries 1');
  world.s3.setFaults(undefined);
  expect(failed.code, failed.stderr).not.toBe(0);
  expect(failed.stdout).toBe('Restored 1 file; 1 failed\n');
  expect((await syncer('trash restore s:partly/to')).stdout).toBe('Restored 1 file\n');
});

test('trash empty takes no run for old whose clock had not been set', async () => {
  await writeTree(world.dir, { 'b/x': '1', 'b/.syncer-trash/19700101-000012-2222/x': 'recent' });
  expect((await syncer('trash empty @b --older-than 30d')).stdout).toContain('0 files');
  expect((await syncer('trash empty @b --run 2222')).stdout).toContain('Deleted 1 file');
});
