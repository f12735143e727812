import { expect, test } from 'vitest';
import { failFirst } from '../servers/fault.ts';
import { startFaultProxy } from '../servers/fault-proxy.ts';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

test('what one attempt of trash restore could not restore, the next one does', async () => {
  await writeTree(world.dir, { a: 'one', b: 'two' });
  const bucket = `bucket${world.count}`;
  await syncer(`copy @ s:${bucket}/x`);
  await syncer(`delete s:${bucket}/x --trash`);
  const proxy = await startFaultProxy(
    world.s3.endpoint,
    failFirst('CopyObject', 1, { status: 503 }),
  );
  const faulty = `s,endpoint="${proxy.endpoint}":${bucket}/x`;
  const restore = `trash restore ${faulty} --low-level-retries 1 --retries 2`;
  const { code, stderr } = await syncer(restore).finally(() => proxy.close());
  expect(stderr).toContain('Attempt 2/2 succeeded');
  expect(code).toBe(0);
  expect((await syncer(`lsf s:${bucket}/x`)).stdout).toBe('a\nb\n');
});
