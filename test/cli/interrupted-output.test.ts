import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { leftovers } from '../support/leftovers.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(() => world.remove());

const large = 'x'.repeat(12 * 1024 ** 2);
const program = resolve(import.meta.dirname, '../../src/main.ts');

/** Starts the program with pipes of which the test can close its end. */
function start(words: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { ...process.env, SYNCER_CONFIG: world.config };
  return spawn(process.execPath, [program, ...words], { cwd: world.dir, env });
}

test('a reader of the log that goes away ends the run in order, as if it had not been there', async () => {
  await mkdir(join(world.dir, 'src'));
  for (let i = 0; i < 50; i++)
    await writeFile(join(world.dir, `src/${i}`), large.slice(0, 100_000));
  const child = start(['copy', 'src', 'dst', '-vv', '--bwlimit', '1M', '--transfers', '4']);
  child.stdout.resume();
  await waitFor(() => leftovers(world.dir).length > 0);
  child.stderr.destroy();
  expect(await once(child, 'close')).toEqual([null, 'SIGPIPE']);
  expect(leftovers(world.dir)).toEqual([]);
  for (const [path, content] of Object.entries((await readTree(join(world.dir, 'dst'))) ?? {})) {
    expect(content.replace(/@\d+$/, ''), path).toHaveLength(100_000);
  }
});

test('a reader that goes away ends a download', async () => {
  await writeTree(world.bucket, { large });
  const child = start(['cat', 'store:bucket/large', '-vv']);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'close')).toEqual([null, 'SIGPIPE']);
  expect(stderr).not.toContain('ERROR');
});

test.each([
  ['standard output', '>&-'],
  ['standard error', '2>&-'],
  ['standard input', '<&-'],
  ['all three', '>&- 2>&- <&-'],
])('%s that was never open stops nothing', async (_what, closing) => {
  await writeTree(join(world.dir, 'src'), { a: 'content of a', large });
  const through = ['sh', '-c', `exec "$@" ${closing}`, 'sh'];
  const { code } = await world.run(['sync', 'src', 'store:bucket', '-P', '-vv'], { through });
  expect(code).toBe(0);
  expect((await world.run(['check', 'src', 'store:bucket'])).code).toBe(0);
});
