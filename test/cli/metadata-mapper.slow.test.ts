import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer, names } = world;

const MAPPER = `#!${process.execPath}
const item = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
if (item.Remote.endsWith('bad')) process.exit(7);
const mode = item.IsDir ? '40750' : '100640';
console.log(JSON.stringify({ Metadata: { ...item.Metadata, mode, from: item.SrcFsType } }));
`;

beforeEach(async () => {
  await writeTree(world.dir, { 's/a': '1', 's/d/b': '2' });
  await writeFile(join(world.dir, 'mapper.cjs'), MAPPER, { mode: 0o755 });
});

const mode = async (path: string) => (await stat(join(world.dir, path))).mode & 0o777;
const MAP = '-M --metadata-mapper @mapper.cjs';

test.each(['copy', 'sync', 'move'])('%s maps files and directories on disks', async (verb) => {
  const { code, stderr } = await syncer(`${verb} @s @t ${MAP}`);
  expect(code, stderr).toBe(0);
  expect(await Promise.all(['t/a', 't/d/b', 't/d'].map(mode))).toEqual([0o640, 0o640, 0o750]);
});

test('to S3, within it and back', async () => {
  for (const line of [
    'copy @s s:map/one',
    'copy s:map/one s:map/two',
    'move s:map/two s:map/three',
  ]) {
    const { code, stderr } = await syncer(`${line} ${MAP} --metadata-set k=v`);
    expect(code, stderr).toBe(0);
  }
  const [file] = JSON.parse(String((await syncer('lsjson -M s:map/three --files-only')).stdout));
  expect(file.Metadata).toMatchObject({ k: 'v', mode: '100640', from: 's3' });
  await syncer(`copy s:map/one @back ${MAP}`);
  expect(await mode('back/a')).toBe(0o640);
});

test('a failure fails that file alone, and the file is not there', async () => {
  await writeTree(world.dir, { 's/bad': '3' });
  const { code, stderr } = await syncer(`copy @s @t ${MAP} --retries 1`);
  expect([code, String(stderr)]).toEqual([1, expect.stringContaining('exit status 7')]);
  expect((await names()).filter((name) => name.startsWith('t/'))).toEqual([
    't/',
    't/a',
    't/d/',
    't/d/b',
  ]);
});

test('without --metadata nothing is run, and rcat refuses it', async () => {
  await chmod(join(world.dir, 'mapper.cjs'), 0);
  expect((await syncer('copy @s @t --metadata-mapper @mapper.cjs')).code).toBe(0);
  expect((await syncer(`copyurl http://127.0.0.1:1/x @x ${MAP}`)).code).not.toBe(0);
});
