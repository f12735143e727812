import { join } from 'node:path';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sdkClient } from '../servers/sdk-client.ts';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { leftovers } from '../support/leftovers.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
let dst: string;
beforeEach(async () => {
  world = await makeS3World();
  dst = join(world.dir, 'dst');
  await writeTree(join(world.dir, 'src'), { 'd/large': 'x'.repeat(3_000_000) });
});
afterEach(() => world.remove());

/** Starts a copy that would take a minute; resolves when its temporary file is there. */
async function startCopy() {
  const before = leftovers(world.dir);
  const running = world.start(['copy', 'src', 'dst', '--bwlimit', '50k']);
  await waitFor(() => {
    const now = leftovers(world.dir);
    return now.length === 1 && now[0] !== before[0];
  }, running.ended);
  return running;
}

test('cleanup removes the temporary files of runs that are over, and of no others', async () => {
  await writeTree(dst, { a: 'content of a' });
  const killed = await startCopy();
  killed.kill('SIGKILL');
  await killed.ended;
  const alive = await startCopy();
  expect((await world.run(['cleanup', 'dst', '--older-than', '0'])).code).toBe(0);
  expect(leftovers(dst)).toHaveLength(1);
  alive.kill('SIGKILL');
  await alive.ended;
  expect((await world.run(['cleanup', 'dst', '--dry-run'])).stderr).toContain('Skipped clean up');
  expect(leftovers(dst)).toHaveLength(1);
  expect((await world.run(['cleanup', 'dst'])).code).toBe(0);
  expect(await readTree(dst)).toEqual({ a: 'content of a@1000000000', 'd/': '' });
});

test('two runs that write the same file at once do not disturb each other', async () => {
  const one = world.start(['rcat', 'dst/d/large'], { input: { open: true } });
  one.write('y'.repeat(300_000));
  await waitFor(() => leftovers(world.dir).length > 0, one.ended);
  expect((await world.run(['copy', 'src', 'dst'])).code).toBe(0);
  expect(leftovers(dst)).toHaveLength(1);
  expect((await readTree(dst))?.['d/large']).toMatch(/^x{3000000}@/);
  one.end();
  expect((await one.ended).code).toBe(0);
  expect(leftovers(dst)).toEqual([]);
  expect((await readTree(dst))?.['d/large']).toMatch(/^y{300000}@/);
});

test.each([
  ['sync', ['src', 'dst']],
  ['copy', ['src/d/large', 'dst/d']],
  ['copy', ['src', 'dst', '--no-traverse']],
])('the next %s %j removes what a killed one left', async (verb, words) => {
  const killed = await startCopy();
  killed.kill('SIGKILL');
  await killed.ended;
  expect(leftovers(dst)).toHaveLength(1);
  // What only reads, or only says what it would do, leaves it.
  expect((await world.run(['ls', 'dst'])).stdout.toString()).toBe('');
  expect((await world.run([verb, ...words, '--dry-run'])).code).toBe(0);
  expect(leftovers(dst)).toHaveLength(1);
  const { code, stderr } = await world.run([verb, ...words, '-v']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/INFO {2}: \S+: Deleted a temporary file of an interrupted run/);
  expect(Object.keys((await readTree(dst)) ?? {})).toEqual(['d/', 'd/large']);
});

test('cleanup gives up old unfinished uploads, and leaves young ones', async () => {
  const client = sdkClient(world.s3);
  await client.send(new CreateMultipartUploadCommand({ Bucket: 'bucket', Key: 'd/large' }));
  await client.send(new CreateMultipartUploadCommand({ Bucket: 'bucket', Key: 'e/large' }));
  client.destroy();
  expect((await world.run(['cleanup', 'store:bucket'])).code).toBe(0);
  expect(await world.unfinishedUploads()).toEqual(['d/large', 'e/large']);
  expect((await world.run(['cleanup', 'store:bucket/d', '--older-than', '0'])).code).toBe(0);
  expect(await world.unfinishedUploads()).toEqual(['e/large']);
});

test('cleanup of what is not there, or keeps nothing, is told', async () => {
  const missing = await world.run(['cleanup', 'store:missing']);
  expectFailure(missing, { code: 3, says: ['missing', 'no such bucket'] });
  expectFailure(await world.run(['cleanup', 'nowhere']), { code: 3, says: ['nowhere'] });
  const memory = await world.run(['cleanup', ':memory:']);
  expectFailure(memory, { code: 1, says: ['has nothing to clean up'] });
});
