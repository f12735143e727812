import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COPYURL_LINES, startUrlServer } from '../cases/copyurl-cases.ts';
import { playCase } from '../support/command-line-case.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { readRecord } from '../support/record.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;
const { url, asked, stop } = await startUrlServer();

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(async () => {
  stop();
  await world.remove();
});

describe('as rclone', () => {
  const record = readRecord('copyurl');

  test('every command line has a result, and there are no others', () => {
    expect(Object.keys(record)).toEqual(COPYURL_LINES);
  });

  test.each(COPYURL_LINES)('%s', async (line) => {
    asked.clear();
    const dir = join(world.dir, `${COPYURL_LINES.indexOf(line)}`);
    const how = { args: line.replace('URL', url), tree: { there: 'before' } };
    const run = (words: readonly string[], cwd: string) => world.run(words, { cwd });
    const { end, stderr } = await playCase(how, { dir, buckets: dir, run });
    expect(end, stderr).toEqual(record[line]);
  });
});

async function run(...args: string[]) {
  const { code, stdout, stderr } = await world.run(args);
  return { code, stdout: stdout.toString(), stderr };
}

test('what breaks off leaves nothing, and the old file', async () => {
  await writeTree(join(world.dir, 'kept'), { file: 'old' });
  const { code, stderr } = await run('copyurl', `${url}/cut`, 'kept/file');
  expect([code, asked.get('/cut')]).toEqual([5, 3]);
  expect(stderr).toContain('9 of 100 bytes');
  expect(await readTree(join(world.dir, 'kept'))).toEqual({ file: 'old@1000000000' });
});

test.each(['206', '204', '202'])(
  'an answer that is not the whole file is refused: %s',
  async (status) => {
    const path = { '206': 'part', '204': 'none', '202': 'accepted' }[status];
    await writeTree(join(world.dir, 'whole'), { file: 'old' });
    const { code, stderr } = await run('copyurl', '--retries', '1', `${url}/${path}`, 'whole/file');
    expect(code).toBe(1);
    expect(stderr).toContain(`CopyURL failed: ${status} `);
    expect(stderr).toContain('not the whole file');
    expect(await readTree(join(world.dir, 'whole'))).toEqual({ file: 'old@1000000000' });
  },
);

test('chunks without an end are no success, as they are for rclone', async () => {
  expect((await run('copyurl', '--retries', '1', `${url}/cut-chunks`, 'cut/file')).code).toBe(5);
  expect(await readTree(join(world.dir, 'cut'))).toBeUndefined();
});

test('what has begun to go to standard output is not sent again', async () => {
  asked.clear();
  const { code, stdout } = await run('copyurl', '--stdout', `${url}/cut`);
  expect([code, stdout, asked.get('/cut')]).toEqual([1, 'only this', 1]);
});

test('the login of a URL is sent and not told', async () => {
  const withLogin = url.replace('//', '//user:secret@');
  const seen = await run('copyurl', '-vv', `${withLogin}/who`, '-');
  expect(seen.stderr).not.toContain('secret');
  expect(seen.stdout).toBe(`Basic ${Buffer.from('user:secret').toString('base64')}`);
  expect((await run('copyurl', withLogin.replace('http:', 'gopher:'), '-')).stderr).not.toContain(
    'secret',
  );
});

test.each(['..', '.', '/'])('a name like %s is refused', async (name) => {
  const { code } = await run('copyurl', '-a', `${url}/${encodeURIComponent(name)}`, 'odd');
  expect(code).toBe(1);
  expect(await readTree(join(world.dir, 'odd'))).toBeUndefined();
});

test('--urls copies each URL of a list, also if another one fails', async () => {
  const list = `${url}/file.txt\n${url}/missing\n${url}/windows,"sub/odd, name"\n`;
  await writeTree(world.dir, { list });
  const { code, stderr } = await run('copyurl', '--urls', '--retries', '1', 'list', 'listed');
  expect([code, stderr]).toEqual([1, expect.stringContaining('404')]);
  const files = (await readTree(join(world.dir, 'listed'))) ?? {};
  expect(Object.keys(files).sort()).toEqual(['file.txt', 'sub/', 'sub/odd, name']);
});
