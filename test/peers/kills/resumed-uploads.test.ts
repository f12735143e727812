import { open, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { randomFrom } from '../../support/random-from.ts';
import { CONCURRENCY, PART, resumedUploads } from '../../support/resumed-uploads.ts';

/** How many uploads are killed: 2 in the suite; `SYNCER_TEST_SEEDS=50` for all. */
const SEEDS = Number(process.env['SYNCER_TEST_SEEDS'] ?? 2);
/** The number of parts of each. */
const PARTS = Number(process.env['SYNCER_TEST_PARTS'] ?? 16);

const uploads = resumedUploads(PARTS);
const { uploadUntil, finish, expectUploaded, sentParts } = uploads;

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
      const path = join(uploads.world.dir, 'file');
      const { atime, mtime } = await stat(path);
      await changeByte(path);
      await utimes(path, atime, mtime);
    },
  },
  'a byte of the source was changed': {
    why: 'the source has changed',
    between: () => changeByte(join(uploads.world.dir, 'file')),
  },
  'another program has aborted it': {
    why: 'the server no longer has it',
    between: () => uploads.world.run(['cleanup', 'store:bucket', '--older-than', '0']),
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
