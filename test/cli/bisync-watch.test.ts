import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import type { Running } from '../support/run-syncer.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';

let world: S3World;
const running: Running[] = [];
const at = (path: string) => join(world.dir, path);
beforeEach(async () => {
  world = await makeS3World();
  await mkdir(at('a/d'), { recursive: true });
  await mkdir(at('b'));
});
afterEach(async () => {
  for (const one of running.splice(0)) one.kill('SIGKILL');
  await world.remove();
});

function watching(...args: string[]): Running {
  const flags = ['--watch', '--watch-delay', '100ms', '-v'];
  const started = world.start(['bisync', ...args, ...flags]);
  running.push(started);
  return started;
}

const text = (path: string) => readFile(at(path), 'utf8').catch(() => undefined);

test('changes of both sides are carried to the other one as they are made', async () => {
  await writeFile(at('a/d/f'), 'one');
  const run = watching('a', 'b');
  await expect.poll(() => text('b/d/f')).toBe('one');
  await writeFile(at('b/new'), 'from b');
  await expect.poll(() => text('a/new')).toBe('from b');
  await writeFile(at('a/d/f'), 'one, edited');
  await expect.poll(() => text('b/d/f')).toBe('one, edited');
  await rename(at('b/d'), at('b/e'));
  await expect.poll(() => text('a/e/f')).toBe('one, edited');
  await rm(at('a/new'));
  await expect.poll(() => text('b/new')).toBeUndefined();
  await expect.poll(async () => (await readdir(at('a'))).sort()).toEqual(['e']);
  run.kill('SIGINT');
  await run.ended;
  // The next run knows what the last one did.
  const next = await world.run(['bisync', 'a', 'b', '-v']);
  expect(next.code).toBe(0);
  expect(next.stderr).not.toMatch(/Copied|Deleted|Renamed/);
});

test('a bucket can be the other side', async () => {
  await writeFile(at('a/d/f'), 'one');
  watching('a', 'store:bucket');
  await expect.poll(async () => Object.keys(await world.objects())).toEqual(['d/f']);
  await writeFile(at('a/g'), 'two');
  await expect.poll(async () => Object.keys(await world.objects()).sort()).toEqual(['d/f', 'g']);
});

test.each([
  ['--review', 'review'],
  ['--resync', 'resync'],
  ['--max-age=1d', 'max-age'],
  ['--check-sync=only', 'check-sync only'],
])('not with %s', async (flag, name) => {
  const run = await world.run(['bisync', 'a', 'b', '--watch', flag]);
  expectFailure(run, { code: 1, says: [`can't use --watch with --${name}`] });
});
