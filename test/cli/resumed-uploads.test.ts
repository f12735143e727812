import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { randomFrom } from '../support/random-from.ts';
import type { Ended, Running } from '../support/run-syncer.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

/** How many uploads are killed: 2 in the suite; `SYNCER_TEST_SEEDS=50` for all. */
const SEEDS = Number(process.env['SYNCER_TEST_SEEDS'] ?? 2);
/** The number of parts of each. */
const PARTS = Number(process.env['SYNCER_TEST_PARTS'] ?? 18);
const PART = 5 * 1024 ** 2;
const SIZE = PART * PARTS - 1234;
const CONCURRENCY = 2;

const WORDS = ['copy', 'file', 'store:bucket', '--s3-upload-cutoff', '6M'];
const FLAGS = ['--s3-upload-concurrency', String(CONCURRENCY), '-v'];

let world: S3World;
const content = Buffer.alloc(SIZE);
beforeAll(async () => {
  world = await makeS3World();
  for (let at = 0; at + 4 <= SIZE; at += 4) content.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  await writeFile(join(world.dir, 'file'), content);
});
beforeEach(async () => {
  await rm(join(world.bucket, 'file'), { force: true });
  world.s3.log.clear();
  world.s3.setFaults(undefined);
});
afterAll(() => world.remove());

const sentParts = () =>
  world.s3.log.requests.flatMap(({ operation, query }) =>
    operation === 'UploadPart' ? [Number(query.get('partNumber'))] : [],
  );

/** Starts the upload, which stops moving after some parts. */
async function uploadUntil(parts: number): Promise<Running> {
  world.s3.setFaults(({ operation }, n) =>
    operation === 'UploadPart' && n >= parts ? { hang: 'before' } : undefined,
  );
  const running = world.start([...WORDS, ...FLAGS]);
  await waitFor(() => sentParts().length >= parts + CONCURRENCY, running.ended);
  return running;
}

async function finish(more: readonly string[] = []): Promise<Ended> {
  world.s3.setFaults(undefined);
  return world.run([...WORDS, ...FLAGS, ...more]);
}

async function expectUploaded({ code, stderr }: Ended): Promise<void> {
  expect(code, stderr).toBe(0);
  expect((await stat(join(world.bucket, 'file'))).size).toBe(SIZE);
  expect(await world.unfinishedUploads()).toEqual([]);
  const check = await world.run(['check', 'file', 'store:bucket', '--download']);
  expect(check.code, check.stderr).toBe(0);
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'an upload killed after a random part is resumed (seed %i)',
  async (seed) => {
    const parts = 1 + randomFrom(seed)(PARTS - CONCURRENCY - 1);
    const running = await uploadUntil(parts);
    running.kill('SIGKILL');
    await running.ended;
    const ended = await finish();
    await expectUploaded(ended);
    expect(ended.stderr).toContain(`(${parts} of ${PARTS} parts verified)`);
    // Each part was sent once, and those in transit when it was killed twice.
    expect(sentParts().length).toBe(PARTS + CONCURRENCY);
    expect(new Set(sentParts()).size).toBe(PARTS);
  },
  60_000,
);

test('Ctrl-C keeps what is stored, and names the command that deletes it', async () => {
  const running = await uploadUntil(15);
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('syncer uploads abort store:bucket/file');
  const listed = await world.run(['uploads', 'ls', 'store:bucket']);
  expect(listed.stdout.toString()).toMatch(
    /^bytes {2}parts {2}begun +path\n {1,2}75Mi {5}15 {2}\d+ s ago +bucket\/file\n$/,
  );
  await expectUploaded(await finish());
}, 60_000);

test('uploads abort deletes an upload, and the next run starts from the beginning', async () => {
  const running = await uploadUntil(15);
  running.kill('SIGINT');
  await running.ended;
  const dry = await world.run(['uploads', 'abort', 'store:bucket/file', '--dry-run']);
  expect(dry.stderr).toContain('Skipped abort the upload of as --dry-run is set');
  const young = await world.run(['uploads', 'abort', 'store:bucket', '--older-than', '1h']);
  expect(young.stdout.toString()).toBe('');
  expect(await world.unfinishedUploads()).toEqual(['file']);
  const other = await world.run(['uploads', 'ls', 'store:bucket/fil', '--json']);
  expect(JSON.parse(other.stdout.toString())).toEqual([]);
  const json = await world.run(['uploads', 'ls', 'store:', '--json']);
  expect(JSON.parse(json.stdout.toString())).toMatchObject([
    { Path: 'bucket/file', Size: 15 * PART, Parts: 15 },
  ]);
  const aborted = await world.run(['uploads', 'abort', 'store:bucket/file']);
  expect(aborted.stdout.toString()).toBe('Aborted the upload of bucket/file (15 parts, 75Mi)\n');
  expect(await world.unfinishedUploads()).toEqual([]);
  const ended = await finish();
  expect(ended.stderr).toContain('from the beginning: the server no longer has it');
  await expectUploaded(ended);
}, 60_000);

test('--no-resume keeps nothing', async () => {
  world.s3.setFaults(({ operation }, n) =>
    operation === 'UploadPart' && n >= 15 ? { hang: 'before' } : undefined,
  );
  const running = world.start([...WORDS, ...FLAGS, '--no-resume']);
  await waitFor(() => sentParts().length > 15, running.ended);
  running.kill('SIGINT');
  expect((await running.ended).stderr).not.toContain('Interrupted');
  expect(await world.unfinishedUploads()).toEqual([]);
});

test('a disk has no unfinished uploads to list', async () => {
  const ended = await world.run(['uploads', 'ls', '.']);
  expectFailure(ended, { code: 1, says: ['has no list of unfinished uploads'] });
});
