import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeAll(async () => {
  world = await makeSyncerWorld();
});

afterAll(() => world.remove());

test.concurrent.each([
  ['listremotes --config /dev/zero', /config file "\/dev\/zero" cannot be read: it is a device/],
  ['copy . x --config /dev/full', /config file "\/dev\/full" cannot be read: it is a device/],
  ['ls . --filter-from /dev/zero --config=', /--filter-from \/dev\/zero: .*it is a device/],
  ['config create a local --config /dev/full', /"\/dev\/full" cannot be (read|written): it is a/],
])('syncer %s is refused in one line', async (line, told) => {
  const { code, stderr } = await world.run(line.split(' '));
  expect(stderr).toMatch(told);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(code).not.toBe(0);
  expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
});

test('no configuration takes the place of a pipe', async () => {
  const pipe = join(world.dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const created = world.run(['config', 'create', 'a', 'local', '--config', pipe]);
  await writeFile(pipe, '[b]\ntype = local\n');
  const { code, stderr } = await created;
  expect(stderr).toMatch(/cannot be written: it is a pipe, socket or device/);
  expect(code).not.toBe(0);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('the wait for a configuration that a pipe never gives ends with SIGTERM', async () => {
  const pipe = join(world.dir, 'silent');
  execFileSync('mkfifo', [pipe]);
  const run = world.start(['lsf', 'a:', '--config', pipe]);
  const writer = await open(pipe, 'w');
  run.kill('SIGTERM');
  expect((await run.ended).code).toBe(143);
  await writer.close();
});
