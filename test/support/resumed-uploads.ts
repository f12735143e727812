import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Ended, Running } from './run-syncer.ts';
import { makeS3World, type S3World } from './s3-world.ts';
import { waitFor } from './wait-for.ts';

/** The size of a part, in bytes. */
export const PART = 5 * 1024 ** 2;
/** How many parts are sent at the same time. */
export const CONCURRENCY = 2;

const WORDS = ['copy', 'file', 'store:bucket', '--s3-upload-cutoff', '6M'];
const FLAGS = ['--s3-upload-concurrency', String(CONCURRENCY), '-v'];

/** A world for the tests of a file that interrupt the upload of one file of so many parts, and start it again. */
export function resumedUploads(parts: number) {
  let world: S3World;
  const content = Buffer.alloc(PART * parts - 1234);
  beforeAll(async () => {
    world = await makeS3World();
    for (let at = 0; at + 4 <= content.length; at += 4)
      content.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
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

  return {
    get world() {
      return world;
    },
    sentParts,
    /** Starts the upload, which stops moving after some parts. */
    async uploadUntil(stored: number, more: readonly string[] = []): Promise<Running> {
      world.s3.setFaults(({ operation }, n) =>
        operation === 'UploadPart' && n >= stored ? { hang: 'before' } : undefined,
      );
      const running = world.start([...WORDS, ...FLAGS, ...more]);
      await waitFor(() => sentParts().length >= stored + CONCURRENCY, running.ended);
      return running;
    },
    async finish(more: readonly string[] = []): Promise<Ended> {
      world.s3.setFaults(undefined);
      return world.run([...WORDS, ...FLAGS, ...more]);
    },
    async expectUploaded({ code, stderr }: Ended): Promise<void> {
      expect(code, stderr).toBe(0);
      expect(await world.unfinishedUploads()).toEqual([]);
      const [sent, stored] = await Promise.all([
        readFile(join(world.dir, 'file')),
        readFile(join(world.bucket, 'file')),
      ]);
      expect(stored.equals(sent)).toBe(true);
    },
  };
}
