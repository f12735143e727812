import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeS3World, type S3World } from '../../support/s3-world.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { startNcdu } from './ncdu-screen.ts';

let world: S3World;
beforeAll(async () => {
  world = await makeS3World({ inOwnProcess: true });
});
afterAll(() => world.remove());
afterEach(() => world.s3.setFaults(undefined));

const start = (path: string, flags: readonly string[] = []) =>
  startNcdu([...flags, path], { env: { SYNCER_CONFIG: world.config, HOME: world.dir } });

async function fill(dir: string, count: number): Promise<void> {
  for (let part = 0; part < 10; part++) {
    await mkdir(join(world.bucket, dir, `part${part}`), { recursive: true });
  }
  for (let at = 0; at < count; at += 100) {
    const files = Array.from({ length: 100 }, (_, n) => `part${(at + n) % 10}/file${at + n}`);
    await Promise.all(files.map((path) => writeFile(join(world.bucket, dir, path), 'content')));
  }
}

describe.skipIf(!hasTmux)('syncer ncdu on S3', () => {
  test('deletes 5,000 objects in batches while one browses', async () => {
    await fill('many', 5000);
    await writeFile(join(world.bucket, 'kept'), 'kept');
    const terminal = await start('store:bucket');
    await terminal.waitFor('5,001 files, 34.2 KiB');
    const before = world.s3.log.count('DeleteObjects');
    await terminal.keys('d');
    await terminal.waitFor('Delete 1 directory: 5,000 objects, 34.2 KiB');
    await terminal.keys('y', 'l', 'j');
    await terminal.waitFor('5,000 objects deleted, 34.2 KiB');
    await terminal.waitFor('1 file, 4 B');
    expect(world.s3.log.count('DeleteObjects') - before).toBeLessThanOrEqual(6);
    expect(await world.objects()).toMatchObject({ kept: expect.stringMatching(/^kept@/) });
    expect(Object.keys(await world.objects())).toEqual(['kept']);
    await terminal.keys('q');
    await terminal.waitFor(['delete many: 5,000 objects deleted', 'ended 0']);
  });

  test('killed in mid-run leaves the terminal as it was', async () => {
    await fill('more', 2000);
    const terminal = await start('store:bucket');
    await terminal.waitFor('2,001 files');
    world.s3.setFaults(({ operation }) =>
      operation === 'DeleteObjects' ? { latencyMs: 60_000 } : undefined,
    );
    await terminal.keys('d');
    await terminal.waitFor('2,000 objects');
    await terminal.keys('y');
    await terminal.waitFor('Deleting');
    await terminal.type('T');
    await terminal.waitFor('1 to do');
    await terminal.keys('C-c');
    await terminal.waitFor(['stopped: 0 objects deleted', 'ended 130']);
    await terminal.type('echo visible');
    await terminal.keys('Enter');
    await terminal.waitFor(/^visible$/m);
    expect((await readdir(join(world.bucket, 'more'))).length).toBe(10);
  });

  test('the first frame is there before the first answer', async () => {
    world.s3.setFaults(() => ({ latencyMs: 3000 }));
    const terminal = await start('store:bucket', ['--no-scan-cache']);
    await terminal.waitFor(['syncer ncdu  store:bucket', 'listing', 'Scanning: 0 files']);
    world.s3.setFaults(undefined);
    await terminal.waitFor('files, ');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });

  test.each([
    ['q', 'ended 0'],
    ['C-c', 'ended 130'],
  ])(
    'leaves with %s although the server does not answer whether a path exists',
    async (key, end) => {
      world.s3.setFaults(() => ({ latencyMs: 120_000 }));
      const terminal = await start('store:bucket/many');
      await terminal.waitFor('listing');
      await terminal.keys(key);
      await terminal.waitFor(end);
    },
  );

  test('what cannot be found ends it with the reason', async () => {
    const terminal = await start('store:nowhere');
    await terminal.waitFor(/nowhere.*\n?.*(not found|does not exist|no such)/);
    await terminal.waitFor('ended 3');
    const unknown = await start('nothing:');
    await unknown.waitFor('ended 1');
  });
});
