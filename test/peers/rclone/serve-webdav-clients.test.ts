import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServe } from '../../cli/start-serve.ts';
import { hasProgram } from '../../support/has-program.ts';
import { hasRclone, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  await mkdir(join(world.dir, 'files/dir'), { recursive: true });
  await writeFile(join(world.dir, 'files/a.txt'), 'old');
});
afterEach(() => world.remove());

const at = (...path: readonly string[]) => join(world.dir, 'files', ...path);

async function serve() {
  const { running, endpoint } = await startServe(world, ['files'], 'webdav');
  const stop = async () => {
    running.kill('SIGTERM');
    expect((await running.ended).stderr).not.toMatch(/ERROR/);
  };
  return { endpoint, stop };
}

test.skipIf(!hasProgram('litmus'))('litmus finds no fault', async () => {
  const { endpoint, stop } = await serve();
  const { stdout } = await promisify(execFile)('litmus', ['-k', `${endpoint}/`], {
    cwd: world.dir,
  });
  expect(stdout.match(/ FAIL |SKIPPED/g)).toBeNull();
  expect(stdout.match(/ 0 failed\. 100\.0%/g)).toHaveLength(5);
  await stop();
});

test.skipIf(!hasRclone)('rclone copies both ways', async () => {
  await mkdir(at('dir/sp ace'), { recursive: true });
  await writeFile(at('dir/sp ace/&ü#?%;.txt'), 'x'.repeat(100_000));
  const { endpoint, stop } = await serve();
  const remote = `:webdav,vendor=owncloud,url="${endpoint}":`;
  const rclone = (...args: string[]) => runRclone(args, { cwd: world.dir });
  expect((await rclone('copy', remote, 'copy')).code).toBe(0);
  expect((await rclone('sync', 'copy', `${remote}again`)).code).toBe(0);
  const { code, stderr } = await rclone('check', '--download', 'copy', `${remote}again`);
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 matching files')]);
  expect((await rclone('purge', `${remote}again`)).code).toBe(0);
  expect((await readdir(at())).sort()).toEqual(['a.txt', 'dir']);
  await stop();
});
