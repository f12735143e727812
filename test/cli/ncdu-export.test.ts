import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

test('an export of a bucket has its records in order, and is kept', async () => {
  const bucket = `s:export${world.count}`;
  await writeTree(join(world.dir, 'a'), { 'd/new': '12', 'd/old': '1', top: '' });
  expect((await syncer(`copy @a ${bucket}`)).code).toBe(0);
  const { code, stdout } = await syncer(`ncdu ${bucket} --output -`);
  expect(code).toBe(0);
  const [head, ...lines] = stdout.split('\n');
  const records = lines.join('').replaceAll(/"mtime":\d+/g, '"mtime":0');
  expect(records).toBe(
    [
      `[{"name":"${bucket}","mtime":0},`,
      '[{"name":"d","mtime":0},',
      '{"name":"new","asize":2,"dsize":2,"mtime":0},',
      '{"name":"old","asize":1,"dsize":1,"mtime":0}],',
      '{"name":"top","mtime":0}]]',
    ].join(''),
  );
  expect(head).toMatch(/^\[1,2,\{"progname":"syncer","progver":"[^"]+","timestamp":\d+\},$/);
  const folder = join(world.env.HOME, '.cache/syncer/ncdu');
  const [kept = ''] = await readdir(folder);
  const again = await syncer(`ncdu --import ${join(folder, kept)} --output -`);
  expect(again.stdout.split('\n').slice(1)).toEqual(lines);
});

test('an export and a kept scan hold no secret of a connection string, and the scan is found again', async () => {
  const { endpoint, accessKeyId, secretAccessKey } = world.s3;
  const bucket = `s:export${world.count}`;
  await writeTree(join(world.dir, 'a'), { top: '1' });
  expect((await syncer(`copy @a ${bucket}`)).code).toBe(0);
  const folder = join(world.env.HOME, '.cache/syncer/ncdu');
  const before = await readdir(folder).catch((): string[] => []);
  const own = `endpoint='${endpoint}',access_key_id=${accessKeyId},secret_access_key=${secretAccessKey}`;
  const path = `:s3,${own}:${bucket.slice(2)}`;
  const exported = await syncer(`ncdu ${path} --output -`);
  expect(exported.code).toBe(0);
  const [kept = ''] = (await readdir(folder)).filter((name) => !before.includes(name));
  const imported = await syncer(`ncdu --import ${join(folder, kept)} --output -`);
  for (const { stdout } of [exported, imported]) {
    expect(stdout).not.toContain(secretAccessKey);
    expect(stdout).toContain('secret_access_key=REDACTED');
  }
  expect((await syncer(`ncdu ${path} --diff 1s --output -`)).code).toBe(0);
});
