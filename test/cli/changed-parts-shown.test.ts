import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf, changedAt, MIB } from '../support/delta-world.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';

const SIZE = 17 * MIB;
const OLD = bytesOf('old', SIZE);

let world: S3World;
beforeAll(async () => {
  world = await makeS3World();
  const options = { provider: 'AWS', force_path_style: 'true', delta: 'on', upload_cutoff: '6M' };
  await writeFile(world.config, section(world.s3, 'store', options));
  await writeFile(join(world.dir, 'large'), OLD);
  await copied();
  await writeFile(join(world.dir, 'large'), changedAt(OLD, 9 * MIB));
});
afterAll(() => world.remove());

/** Copies the file to the store, with more words; the log. */
async function copied(words: readonly string[] = [], to = 'store:bucket'): Promise<string> {
  const { code, stdout, stderr } = await world.run(['copy', '.', to, '--include=/large', ...words]);
  expect(code, stderr).toBe(0);
  return stdout + stderr;
}

test('a dry run over a large object says that at most its size is sent', async () => {
  expect(await copied(['--dry-run'])).toContain('as --dry-run is set (size at most 17Mi)');
});

test('a dry run says the size alone of what is sent whole', async () => {
  const whole = 'as --dry-run is set (size 17Mi)';
  expect(await copied(['--dry-run', '--s3-delta=off'])).toContain(whole);
  expect(await copied(['--dry-run', '--s3-delta=auto'])).toContain(whole);
  expect(await copied(['--dry-run'], 'store:bucket/new')).toContain(whole);
  expect(await copied(['--dry-run'], join(world.dir, 'disk'))).toContain(whole);
});

test('the line of a dry run in the JSON log has the size as a number', async () => {
  const log = await copied(['--dry-run', '--use-json-log']);
  expect(log).toContain(`"skipped":"copy","size":${SIZE},`);
});

test('a plan over a large object says that at most its size is sent', async () => {
  expect(await copied(['--review'])).toContain('To do: 1 update · at most 17 MiB to send');
  expect(await copied(['--review', '--s3-delta=off'])).toContain('1 update · 17 MiB to send');
});

test('the history has what the server copied of an upload beside what was sent', async () => {
  await copied();
  const { stdout } = await world.run(['history']);
  expect(String(stdout)).toContain('1 transferred, 5 MiB, 12 MiB copied by the server');
});
