import { open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
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
const PARTS = Number(process.env['SYNCER_TEST_PARTS'] ?? 16);
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
  expect(await world.unfinishedUploads()).toEqual([]);
  const [sent, stored] = await Promise.all([
    readFile(join(world.dir, 'file')),
    readFile(join(world.bucket, 'file')),
  ]);
  expect(stored.equals(sent)).toBe(true);
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
);

/** What happens between a killed run and the next, and why the next starts from the beginning. */
interface Restart {
  readonly why: string;
  readonly between?: () => Promise<unknown>;
  /** Flags of the next run. */
  readonly more?: readonly string[];
}

const RESTARTS: Readonly<Record<string, Restart>> = {
  'a byte of the source was changed and its time kept': {
    why: 'the source has changed',
    async between() {
      const path = join(world.dir, 'file');
      const { atime, mtime } = await stat(path);
      await changeByte(path);
      await utimes(path, atime, mtime);
    },
  },
  'a byte of the source was changed': {
    why: 'the source has changed',
    between: () => changeByte(join(world.dir, 'file')),
  },
  'another program has aborted it': {
    why: 'the server no longer has it',
    between: () => world.run(['cleanup', 'store:bucket', '--older-than', '0']),
  },
  'the part size is another one': {
    why: 'the part size is another one',
    more: ['--s3-chunk-size', '6M'],
  },
};

async function changeByte(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 2 * PART);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, 2 * PART);
  await file.close();
}

test.each(Object.entries(RESTARTS))(
  'a killed upload starts from the beginning: %s',
  async (_what, { why, between, more }) => {
    const running = await uploadUntil(4);
    running.kill('SIGKILL');
    await running.ended;
    await between?.();
    const ended = await finish(more);
    expect(ended.stderr).toContain(`Starting the upload from the beginning: ${why}`);
    await expectUploaded(ended);
  },
);

test('of two runs that find the same upload one resumes it, and both end well', async () => {
  const running = await uploadUntil(5);
  running.kill('SIGKILL');
  await running.ended;
  const both = await Promise.all([finish(), finish()]);
  for (const ended of both) await expectUploaded(ended);
  const logs = both.map(({ stderr }) => stderr).join('');
  expect(logs.match(/Resuming the upload/g)).toHaveLength(1);
});

test('Ctrl-C keeps what is stored, and names the command that deletes it', async () => {
  const running = await uploadUntil(13);
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('syncer uploads abort store:bucket/file');
  const listed = await world.run(['uploads', 'ls', 'store:bucket']);
  expect(listed.stdout.toString()).toMatch(
    /^bytes {2}parts {2}begun +path\n {1,2}65Mi {5}13 {2}\d+ s ago +bucket\/file\n$/,
  );
  await expectUploaded(await finish(['--report', 'r.json']));
  const report = JSON.parse(await readFile(join(world.dir, 'r.json'), 'utf8'));
  expect(report).toMatchObject({
    counts: { resumedUploads: 1 },
    bytes: { resumed: 13 * PART },
    throttledSeconds: 0,
  });
  const history = (await world.run(['history', '--json'])).stdout.toString();
  expect(history).toContain(`"resumedBytes":${13 * PART}`);
});

test('uploads abort deletes an upload, and the next run starts from the beginning', async () => {
  const running = await uploadUntil(13);
  running.kill('SIGINT');
  await running.ended;
  const before = await world.run(['doctor', '--json']);
  expect(JSON.parse(before.stdout.toString()).checks).toContainEqual(
    expect.objectContaining({
      check: 'unfinished-transfers',
      verdict: 'warning',
      mend: 'syncer uploads abort store:bucket/file',
    }),
  );
  const dry = await world.run(['uploads', 'abort', 'store:bucket/file', '--dry-run']);
  expect(dry.stderr).toContain('Skipped abort the upload of as --dry-run is set');
  const young = await world.run(['uploads', 'abort', 'store:bucket', '--older-than', '1h']);
  expect(young.stdout.toString()).toBe('');
  expect(await world.unfinishedUploads()).toEqual(['file']);
  const other = await world.run(['uploads', 'ls', 'store:bucket/fil', '--json']);
  expect(JSON.parse(other.stdout.toString())).toEqual([]);
  const json = await world.run(['uploads', 'ls', 'store:', '--json']);
  expect(JSON.parse(json.stdout.toString())).toMatchObject([
    { Path: 'bucket/file', Size: 13 * PART, Parts: 13 },
  ]);
  const aborted = await world.run(['uploads', 'abort', 'store:bucket/file']);
  expect(aborted.stdout.toString()).toBe('Aborted the upload of bucket/file (13 parts, 65Mi)\n');
  expect(await world.unfinishedUploads()).toEqual([]);
  const doctor = await world.run(['doctor', '--json']);
  expect(JSON.parse(doctor.stdout.toString()).checks).toContainEqual(
    expect.objectContaining({ check: 'unfinished-transfers', text: 'none' }),
  );
  const ended = await finish();
  expect(ended.stderr).not.toContain('Resuming');
  await expectUploaded(ended);
});

test('--no-resume keeps nothing', async () => {
  world.s3.setFaults(({ operation }, n) =>
    operation === 'UploadPart' && n >= 4 ? { hang: 'before' } : undefined,
  );
  const running = world.start([...WORDS, ...FLAGS, '--no-resume']);
  await waitFor(() => sentParts().length > 4, running.ended);
  running.kill('SIGINT');
  expect((await running.ended).stderr).not.toContain('Interrupted');
  expect(await world.unfinishedUploads()).toEqual([]);
});

test('a disk has no unfinished uploads to list', async () => {
  const ended = await world.run(['uploads', 'ls', '.']);
  expectFailure(ended, { code: 1, says: ['has no list of unfinished uploads'] });
});
