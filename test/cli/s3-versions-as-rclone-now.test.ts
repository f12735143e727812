import { expect, test } from 'vitest';
import { inProcessWorld } from '../support/in-process-world.ts';

// As measured with rclone 1.75.2.

const { syncer } = inProcessWorld();

test('a delete marker has no content, and a status of restoration like every version', async () => {
  const run = async (line: string) => {
    const { code, stdout, stderr } = await syncer(line);
    return { code, stdout: stdout.toString(), stderr: stderr.toString() };
  };
  await run('mkdir s:versions');
  await run('backend versioning s:versions Enabled');
  await run('touch s:versions/f.txt');
  await run('deletefile s:versions/f.txt');
  await run('touch s:versions/plain.txt');
  const all = '--s3-versions --s3-version-deleted';
  const cat = await run(`cat s:versions ${all}`);
  expect([cat.code, cat.stderr]).toEqual([4, expect.stringContaining('it is a delete marker')]);
  const listed = (await run(`lsf s:versions ${all}`)).stdout.trim().split('\n');
  const { stdout } = await run(`backend restore-status s:versions -o all ${all}`);
  const status = JSON.parse(stdout) as { Remote: string; VersionID: string | null }[];
  expect(status.map(({ Remote }) => Remote).sort()).toEqual(listed);
  expect(status.every(({ VersionID }) => VersionID)).toBe(true);
  const then = '--s3-version-at 0s';
  const now = JSON.parse((await run(`backend restore-status s:versions -o all ${then}`)).stdout);
  expect(now).toMatchObject([{ Remote: 'plain.txt', StorageClass: 'STANDARD' }]);
  expect(await run('backend restore-status s:versions')).toMatchObject({ stdout: '[]\n' });
  const file = await run('backend restore-status s:versions/plain.txt -o all');
  expect([file.code, file.stderr]).toEqual([1, expect.stringContaining('is a file')]);
  expect((await run(`backend versioning s:versions ${then}`)).code).toBe(1);
  expect((await run('lsf s:versions --s3-version-at foo')).code).toBe(2);
  expect((await run('lsf s,version_at=foo:versions')).code).toBe(1);
});

test('purge -v --s3-versions logs each version and delete marker under its name in a listing', async () => {
  await syncer('mkdir s:purged');
  await syncer('backend versioning s:purged Enabled');
  await syncer('touch s:purged/d/f.txt');
  await syncer('touch s:purged/d/f.txt');
  await syncer('deletefile s:purged/d/f.txt');
  await syncer('touch s:purged/d/new');
  const listed = await syncer('lsf s:purged/d --s3-versions --s3-version-deleted');
  const { stderr } = await syncer('purge -v s:purged/d --s3-versions');
  const names = [...stderr.matchAll(/INFO {2}: (.*): Deleted/g)].map(([, name]) => name);
  expect(names).toHaveLength(4);
  expect(names.sort()).toEqual(listed.stdout.toString().trim().split('\n').sort());
});
