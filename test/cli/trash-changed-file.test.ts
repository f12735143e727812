import { globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;

beforeAll(async () => {
  world = await makeS3World();
});
afterAll(() => world.remove());

/** Too much to be held in memory until its end. */
const MUCH = 'new content '.repeat(100_000);

/** Starts a write with a trash that ends after `edit`, when the old file is kept below `dir`. */
async function writeDuring(to: string, dir: string, edit: () => Promise<unknown>) {
  const running = world.start(['rcat', to, '--trash', '--retries', '1'], {
    input: { open: true },
  });
  running.write(MUCH);
  const isKept = () => globSync('.syncer-trash/*/f', { cwd: dir }).length > 0;
  await waitFor(isKept, running.ended);
  await edit();
  running.end();
  return running.ended;
}

test('a file on a disk that is replaced during its transfer is left', async () => {
  const dir = join(world.dir, 'd');
  await mkdir(dir);
  await writeFile(join(dir, 'f'), 'old');
  const { code, stderr } = await writeDuring(join(dir, 'f'), dir, async () => {
    await writeFile(join(dir, 'edit'), 'edited by another');
    await rename(join(dir, 'edit'), join(dir, 'f'));
  });
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('changed during the transfer; left as it is');
  expect(await readFile(join(dir, 'f'), 'utf8')).toBe('edited by another');
});

test('an object that is replaced during its upload is left', async () => {
  await world.run(['rcat', 'store:bucket/f'], { input: 'old' });
  const { code, stderr } = await writeDuring('store:bucket/f', world.bucket, () =>
    world.run(['rcat', 'store:bucket/f'], { input: 'edited by another' }),
  );
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('bucket/f was not written');
  expect(String((await world.run(['cat', 'store:bucket/f'])).stdout)).toBe('edited by another');
});
