import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, test } from 'vitest';
import { Archive } from '../servers/archive.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

const OLD = new Date('2020-01-01T00:00:00Z');

let archive: Archive;
let bucket: string;

/** The same content here and in the bucket, there older and archived. */
beforeEach(async () => {
  archive = new Archive();
  bucket = `b${world.count}`;
  await mkdir(join(world.dir, 'a'), { recursive: true });
  for (const name of ['cold', 'warm']) {
    await writeFile(join(world.dir, 'a', name), 'same');
    await utimes(join(world.dir, 'a', name), OLD, OLD);
  }
  await mkdir(join(world.s3.root, bucket), { recursive: true });
  await syncer(`copy @a s:${bucket}`);
  archive.add(`${bucket}/cold`);
  world.s3.setFaults((request) => archive.fault(request));
  for (const name of ['cold', 'warm'])
    await utimes(join(world.dir, 'a', name), new Date(0), new Date('2024-05-06T07:08:09Z'));
});

const times = async (place: string) =>
  (await syncer(`lsf --format tp ${place}`)).stdout.trim().split('\n');

const NEW = ['2024-05-06 07:08:09;cold', '2024-05-06 07:08:09;warm'];

describe('equal content and another time', () => {
  test.each(['sync', 'copy', 'move'])('%s uploads the archived object again', async (verb) => {
    await writeFile(join(world.s3.root, bucket, 'extra'), 'x');
    const run = await syncer(`${verb} @a s:${bucket} -v`);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("cold: Can't set the modification time without uploading again");
    const kept = (await times(`s:${bucket}`)).filter((line) => !line.endsWith('extra'));
    expect(kept).toEqual(NEW);
    expect((await times(`s:${bucket}`)).length).toBe(verb === 'sync' ? 2 : 3);
    if (verb === 'move') expect(await world.names()).toEqual(['a/']);
    else expect((await syncer(`check @a s:${bucket}`)).code).toBe(verb === 'sync' ? 0 : 1);
    const uploads = world.s3.log.requests.filter(
      ({ operation, key, status }) => operation === 'PutObject' && key === 'cold' && status === 200,
    );
    expect(uploads.length).toBeGreaterThan(0);
  });

  test('flags that leave times alone upload nothing', async () => {
    for (const flag of ['--no-update-modtime', '--size-only', '--checksum', '--dry-run'])
      expect((await syncer(`sync @a s:${bucket} ${flag}`)).code).toBe(0);
    expect(archive.has(`${bucket}/cold`)).toBe(true);
  });

  test('bisync uploads a file with a new time', async () => {
    const file = join(world.dir, 'a/cold');
    await utimes(file, OLD, OLD);
    expect((await syncer(`bisync @a s:${bucket} --resync`)).code).toBe(0);
    await utimes(file, OLD, new Date('2024-05-06T07:08:09Z'));
    expect((await syncer(`bisync @a s:${bucket} --force`)).code).toBe(0);
    expect(await times(`s:${bucket}`)).toEqual(NEW);
  });

  test('from bucket to bucket it is copied there', async () => {
    await mkdir(join(world.s3.root, `${bucket}c`), { recursive: true });
    await syncer(`copy @a s:${bucket}c`);
    expect((await syncer(`sync s:${bucket}c s:${bucket}`)).code).toBe(0);
    expect(await times(`s:${bucket}`)).toEqual(NEW);
  });

  test('the time stays if both are archived, and a move deletes nothing', async () => {
    const client = sdkClient(world.s3);
    const [Bucket, from] = [`${bucket}c`, { Body: 'same', StorageClass: 'GLACIER' as const }];
    await mkdir(join(world.s3.root, Bucket), { recursive: true });
    await client.send(new PutObjectCommand({ ...from, Bucket, Key: 'cold' }));
    client.destroy();
    archive.add(`${Bucket}/cold`);
    const run = await syncer(`copy s:${Bucket} s:${bucket}`);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("NOTICE: cold: Can't set the modification time: the objects on");
    expect((await times(`s:${bucket}`))[0]).toBe('2020-01-01 00:00:00;cold');
    expect((await syncer(`move s:${Bucket} s:${bucket}`)).code).toBe(1);
    expect((await syncer(`lsf s:${Bucket}`)).stdout).toBe('cold\n');
    expect(archive.has(`${bucket}/cold`)).toBe(true);
  });
});

test('what cannot be renamed or copied in the store is uploaded', async () => {
  await syncer(`copy @a s:${bucket}`);
  archive.add(`${bucket}/cold`);
  await syncer('moveto @a/cold @a/renamed');
  expect((await syncer(`sync @a s:${bucket} --track-renames`)).code).toBe(0);
  expect((await syncer(`lsf s:${bucket}`)).stdout).toBe('renamed\nwarm\n');
  archive.add(`${bucket}/renamed`);
  const copy = await syncer(`copy @a s:${bucket}/new --copy-dest s:${bucket}`);
  expect([copy.code, (await syncer(`lsf s:${bucket}/new`)).stdout]).toEqual([0, 'renamed\nwarm\n']);
});

test('touch, moveto, copyto and downloads of an archived object say what to do', async () => {
  for (const line of [
    `touch s:${bucket}/cold`,
    `moveto s:${bucket}/cold s:${bucket}/other`,
    `copyto s:${bucket}/cold s:${bucket}/other`,
    `copy s:${bucket} @down`,
  ]) {
    const run = await syncer(line);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('the object is archived; restore it first');
  }
  expect((await syncer(`lsf s:${bucket}`)).stdout).toBe('cold\nwarm\n');
  archive.restore();
  expect((await syncer(`copy s:${bucket} @down`)).code).toBe(0);
});
