import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(() => world.remove());

const nameOf = (i: number) => `img_${String(i).padStart(5, '0')}`;
const PAGES = ['--s3-list-chunk', '20', '--transfers', '4', '--s3-no-check-bucket'];
const SYNC = ['sync', 'store:bucket/a', 'store:bucket/b', '--checkpoint', ...PAGES];

async function fill(dir: string, from: number, to: number): Promise<void> {
  await mkdir(join(world.bucket, dir), { recursive: true });
  for (let i = from; i < to; i++)
    await writeFile(join(world.bucket, dir, nameOf(i)), `content ${i}`);
}

const folder = () => join(world.dir, '../home/.local/state/syncer/checkpoints');

/** The ranges that the checkpoint has as done. */
function finished(): readonly unknown[] {
  const [file] = existsSync(folder()) ? readdirSync(folder()) : [];
  if (file?.endsWith('.json') !== true) return [];
  const { ledger } = JSON.parse(readFileSync(join(folder(), file), 'utf8'));
  return ledger.ranges.filter(({ isDone, files }: never) => isDone && files > 0);
}

/** Kills a sync of which a range with files is done. */
async function kill(): Promise<void> {
  const run = world.start([...SYNC, '--tpslimit', '150', '--tpslimit-burst', '1']);
  await waitFor(() => finished().length > 0, run.ended);
  run.kill('SIGKILL');
  expect((await run.ended).signal).toBe('SIGKILL');
}

test('a killed sync continues behind the finished ranges, and deletes extra files only at the end', async () => {
  await fill('a', 0, 600);
  await fill('b', 600, 640);
  await kill();
  expect(await readdir(join(world.bucket, 'b'))).toContain(nameOf(639));
  const copied = await readdir(join(world.bucket, 'b'));
  world.s3.log.clear();
  const next = await world.run(SYNC);
  expect(next).toMatchObject({ code: 0 });
  expect(next.stderr).toMatch(/Continuing the run of .* UTC: \d+ of \d+ ranges are done/);
  const left = 600 - copied.filter((name) => name < nameOf(600)).length;
  expect(world.s3.log.count('CopyObject')).toBe(left);
  expect((await readdir(join(world.bucket, 'b'))).sort()).toEqual(
    Array.from({ length: 600 }, (_, i) => nameOf(i)),
  );
  expect(await readdir(folder())).toEqual([]);
  const again = await world.run(SYNC);
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
}, 120_000);

test('a destination that is gone, a damaged checkpoint or other flags start from the first name', async () => {
  await fill('a', 0, 600);
  await kill();
  const other = await world.run([...SYNC, '--size-only']);
  expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
  expect(await readdir(folder())).toHaveLength(1);
  const [file = ''] = await readdir(folder());
  await writeFile(join(folder(), file), '{"version":1,"begunMs":1,"ledger":{"phase":"copying"');
  await rm(join(world.bucket, 'b'), { recursive: true });
  const fresh = await world.run(SYNC);
  expect(fresh).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Continuing') });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(600);
}, 120_000);

test.each([
  [['--guard', 'on'], 'it cannot be combined with --guard'],
  [['--track-renames'], 'it cannot be combined with --track-renames'],
  [['--max-delete', '10%'], 'it cannot be combined with a percentage of --max-delete'],
])('%j is refused', async (flags, why) => {
  const { code, stderr } = await world.run([...SYNC, ...flags]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
});

test('a guard that the environment turns on can be turned off', async () => {
  await fill('a', 0, 2);
  const isOn = await world.run(SYNC, { env: { SYNCER_GUARD: 'on' } });
  expect(isOn).toMatchObject({ code: 1, stderr: expect.stringContaining('with --guard') });
  const isOff = await world.run([...SYNC, '--guard', 'off'], { env: { SYNCER_GUARD: 'on' } });
  expect(isOff).toMatchObject({ code: 0 });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(2);
}, 60_000);

test('a disk and a file are refused', async () => {
  await fill('a', 0, 1);
  await mkdir(join(world.dir, 'disk'));
  const disk = await world.run(['copy', 'disk', 'store:bucket/b', '--checkpoint']);
  expect(disk.code).toBe(1);
  expect(disk.stderr).toContain('is no bucket whose names come in order');
  const file = await world.run([
    ...['copy', `store:bucket/a/${nameOf(0)}`, 'store:bucket/b', '--checkpoint'],
  ]);
  expect(file.stderr).toContain('--checkpoint takes a directory, not a file');
});

test('a name whose key sorts elsewhere is an error, and nothing is deleted', async () => {
  await fill('a', 0, 60);
  await fill('b', 100, 101);
  await writeFile(join(world.bucket, 'a', 'm\u0001x'), 'odd');
  const { code, stderr } = await world.run([...SYNC, '--retries', '1']);
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('run without --checkpoint'),
  });
  expect(await readdir(join(world.bucket, 'b'))).toHaveLength(61);
}, 60_000);
